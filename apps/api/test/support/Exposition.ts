/** A strict parser of Prometheus's text format, version 0.0.4. It throws at anything the format forbids. */

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

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const label = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\[\\\\"n])*)"'
const helpLine = new RegExp(`^# HELP (${name}) (.+)$`)
const typeLine = new RegExp(`^# TYPE (${name}) (counter|gauge|histogram|summary|untyped)$`)
const sampleLine = new RegExp(`^(${name})(?:\\{((?:${label},?)*)\\})? (\\S+)$`)
// As Go's ParseFloat, which the format refers to: without regard to letter case.
const number = /^(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?inf|nan)$/i

const numberOf = (text: string): number => {
  if (!number.test(text)) throw new Error(`no number: ${text}`)
  return Number(text.replace(/inf/i, "Infinity").replace(/nan/i, "NaN"))
}

const labelsOf = (text: string): Readonly<Record<string, string>> => {
  const pairs = [...text.matchAll(new RegExp(`${label}(?:,|$)`, "g"))]
  if (pairs.map(([pair]) => pair).join("") !== text) throw new Error(`no labels: ${text}`)
  const names = pairs.map(([, key = ""]) => key)
  if (new Set(names).size < names.length) throw new Error(`a label twice: ${text}`)
  return Object.fromEntries(
    pairs.map(([, key = "", value = ""]) => [
      key,
      value.replaceAll(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped))
    ])
  )
}

const suffixes: Readonly<Record<string, ReadonlyArray<string>>> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"]
}

/** Parses what `/metrics` answers, by the name of the metric. */
export const parse = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, Family & { readonly samples: Array<Sample> }>()
  const seen = new Set<string>()
  let help: readonly [name: string, text: string] | undefined
  let family: (Family & { readonly samples: Array<Sample> }) | undefined
  for (const line of text.split("\n")) {
    if (line === "") continue
    const [, helped, about = ""] = helpLine.exec(line) ?? []
    const [, typed, type = ""] = typeLine.exec(line) ?? []
    if (helped !== undefined) help = [helped, about]
    else if (typed !== undefined) {
      if (help?.[0] !== typed) throw new Error(`no help: ${line}`)
      if (families.has(typed)) throw new Error(`a metric twice: ${line}`)
      family = { name: typed, type, help: help[1], samples: [] }
      families.set(typed, family)
    } else {
      const [, sample, labels = "", , , value = ""] = sampleLine.exec(line) ?? []
      const allowed = suffixes[family?.type ?? ""] ?? [""]
      if (!allowed.some((suffix) => sample === `${family?.name}${suffix}`)) {
        throw new Error(`not a sample of ${family?.name}: ${line}`)
      }
      const series = line.slice(0, line.lastIndexOf(" "))
      if (seen.has(series)) throw new Error(`a series twice: ${line}`)
      seen.add(series)
      family?.samples.push({
        name: sample ?? "",
        labels: labelsOf(labels),
        value: numberOf(value)
      })
    }
  }
  for (const one of families.values()) if (one.type === "histogram") checkHistogram(one)
  return families
}

/** Buckets are cumulative, and the last one, which has no limit, is the count. */
const checkHistogram = ({ name, samples }: Family): void => {
  const groups = new Map<string, Array<Sample>>()
  for (const sample of samples) {
    const { le, ...labels } = sample.labels
    const key = JSON.stringify(Object.entries(labels).sort())
    groups.set(key, [...(groups.get(key) ?? []), sample])
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const limits = buckets.map(({ labels }) => numberOf(labels["le"] ?? ""))
    const counts = buckets.map(({ value }) => value)
    const count = group.filter((sample) => sample.name === `${name}_count`)
    const sum = group.filter((sample) => sample.name === `${name}_sum`)
    const isAscending = (values: ReadonlyArray<number>) =>
      values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0))
    const isSound =
      isAscending(limits) &&
      isAscending(counts) &&
      limits.at(-1) === Number.POSITIVE_INFINITY &&
      count.length === 1 &&
      sum.length === 1 &&
      count[0]?.value === counts.at(-1)
    if (!isSound) throw new Error(`not a histogram: ${name} ${key}`)
  }
}
