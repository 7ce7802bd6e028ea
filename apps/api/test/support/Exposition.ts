/** A parser of Prometheus's text format, version 0.0.4, for the series that `prom-client` writes. */

/** One line: a name, its labels and a value. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric with all of its samples. */
export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [key, value])
  )

/** Parses what `/metrics` answers, by the name of the metric. It throws if a line does not fit. */
export const parse = (text: string): ReadonlyMap<string, Family> => {
  const families = new Map<string, Family>()
  for (const section of text.split(/^# HELP /m).slice(1)) {
    const [, name = "", help = "", type = "", lines = ""] =
      /^(\S+) (.+)\n# TYPE \1 (\w+)\n(.*)$/s.exec(section) ?? []
    const samples = lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Sample => {
        const [, sample = "", labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
        if (!sample.startsWith(name)) throw new Error(`not a sample of ${name}: ${line}`)
        return { name: sample, labels: labelsOf(labels), value: Number(value) }
      })
    families.set(name, { name, type, help, samples })
  }
  return families
}
