/** Progress of a long command, shown on a terminal. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A line on standard error that is redrawn; nothing if that is not a terminal. */
export interface Progress {
  /** Shows the fraction done, if the total is known, and a note. */
  readonly show: (done: number | undefined, note?: string) => void
  /** Erases the line. */
  readonly end: Effect.Effect<void>
}

const interval = 100
const width = 30

/** A progress bar, erased with the scope. */
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
