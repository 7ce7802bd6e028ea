/** How far a long work has come, for whoever sits at a terminal. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A line that is drawn over and over, on standard error; where that is no terminal, nothing. */
export interface Progress {
  /** How much is done, from 0 to 1 where the whole is known, and what else there is to say. */
  readonly show: (done: number | undefined, note?: string) => void
  /** Takes the line away. */
  readonly end: Effect.Effect<void>
}

const interval = 100
const width = 30

/** A progress bar, gone with the scope at the latest. */
export const make: Effect.Effect<Progress, never, Scope.Scope> = Effect.gen(function* () {
  const isTerminal = process.stderr.isTTY === true
  let last = 0
  const show: Progress["show"] = (done, note = "") => {
    const now = performance.now()
    if (!isTerminal || now - last < interval) return
    last = now
    process.stderr.write(`\r\u001b[K${done === undefined ? "" : `${bar(done)} `}${note}`)
  }
  const end = Effect.sync(() => {
    if (last !== 0) process.stderr.write("\r\u001b[K")
    last = 0
  })
  yield* Effect.addFinalizer(() => end)
  return { show, end }
})

const bar = (done: number): string => {
  const full = Math.round(Math.min(done, 1) * width)
  return `[${"█".repeat(full)}${" ".repeat(width - full)}] ${Math.floor(done * 100)} %`
}
