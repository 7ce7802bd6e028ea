/** Progress of a long command, shown on a terminal. */
import * as Effect from "effect/Effect"
import { countAsDone, Terminal } from "./Terminal.ts"

const interval = 100
const width = 30

/** A line on standard error that is redrawn, and erased with the scope; nothing without a terminal. */
export const make = Effect.gen(function* () {
  const { stderr } = yield* Terminal
  let last = 0
  /** Shows the fraction done, if the total is known, and a note. */
  const show = (done: number | undefined, note = "") => {
    const now = performance.now()
    if (!stderr.isTTY || now - last < interval) return
    last = now
    stderr.write(`\r\u001b[K${done === undefined ? "" : `${bar(done)} `}${note}`)
  }
  const end = () => {
    if (last !== 0) stderr.write("\r\u001b[K")
    last = 0
  }
  yield* Effect.addFinalizer(() => Effect.sync(end))
  /** Prints a line in its place. */
  const say = (text: string) =>
    Effect.sync(() => {
      end()
      stderr.write(`${text}\n`)
    })
  /** Prints the result. From here on, the command counts as done. */
  const finish = (text: string) => Effect.zipRight(say(text), countAsDone)
  return { show, say, finish }
})

const bar = (done: number): string => {
  const full = Math.round(Math.min(done, 1) * width)
  return `[${"█".repeat(full)}${" ".repeat(width - full)}] ${Math.floor(done * 100)} %`
}
