/** Progress of a long command, shown on a terminal. */
import * as Effect from "effect/Effect"
import { countAsDone, shownOn, Terminal } from "./Terminal.ts"

const interval = 100

/** A line on standard error that is redrawn, and erased with the scope; nothing without a terminal. */
export const make = Effect.gen(function* () {
  const { stderr } = yield* Terminal
  const { columns = Number.POSITIVE_INFINITY } = stderr
  let last = 0
  /** Shows the fraction done, if the total is known, and the number of pets, if they are counted. */
  const show = (done: number | undefined, pets?: number) => {
    const now = performance.now()
    if (!stderr.isTTY || now - last < interval) return
    last = now
    const parts = [
      // What is added meanwhile may exceed the total.
      ...(done === undefined ? [] : [`${Math.floor(Math.min(done, 1) * 100)} %`]),
      ...(pets === undefined ? [] : [`${pets.toLocaleString("en-US")} pets`])
    ]
    // A line that wraps could not be erased.
    stderr.write(`\r\u001b[K${parts.join("  ").slice(0, columns - 1)}`)
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
      stderr.write(`${shownOn(stderr, text)}\n`)
    })
  /** Prints the result. From here on, the command counts as done. */
  const finish = (text: string) => Effect.zipRight(say(text), countAsDone)
  return { show, say, finish }
})
