/** Progress of a long command, shown on a terminal. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const interval = 100
const width = 30

/** A line on standard error that is redrawn, and erased with the scope; nothing without a terminal. */
export const make = Effect.gen(function* () {
  let last = 0
  /** Shows the fraction done, if the total is known, and a note. */
  const show = (done: number | undefined, note = "") => {
    const now = performance.now()
    if (!process.stderr.isTTY || now - last < interval) return
    last = now
    process.stderr.write(`\r\u001b[K${done === undefined ? "" : `${bar(done)} `}${note}`)
  }
  const end = Effect.sync(() => {
    if (last !== 0) process.stderr.write("\r\u001b[K")
    last = 0
  })
  yield* Effect.addFinalizer(() => end)
  /** Prints a line in its place. */
  const say = (text: string) => Effect.zipRight(end, Console.error(text))
  return { show, say }
})

const bar = (done: number): string => {
  const full = Math.round(Math.min(done, 1) * width)
  return `[${"█".repeat(full)}${" ".repeat(width - full)}] ${Math.floor(done * 100)} %`
}
