/** A line that says how far the run is: rewritten on a terminal, one by one elsewhere. */
export interface Progress {
  /** One of the steps is about to be done: a part of the run, and a detail of that part. */
  readonly step: (part: string, detail?: string) => void
  readonly end: () => void
}

const clock = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

export const make = (stepMillis: number, steps: number): Progress => {
  const began = performance.now()
  const { stderr } = process
  let done = 0
  let last = ""
  return {
    step: (part, detail = "") => {
      const elapsed = performance.now() - began
      const perStep = done < 5 ? stepMillis : elapsed / done
      const left = clock(Math.max(0, steps - done) * perStep)
      done += 1
      if (stderr.isTTY) {
        stderr.write(
          `\r\x1b[2K${clock(elapsed)}  ${part}${detail && `, ${detail}`}  (about ${left} left)`
        )
      } else if (part !== last) {
        stderr.write(`${clock(elapsed)}  ${part}\n`)
      }
      last = part
    },
    end: () => {
      stderr.write(stderr.isTTY ? "\r\x1b[2K" : `${clock(performance.now() - began)}  done\n`)
    }
  }
}
