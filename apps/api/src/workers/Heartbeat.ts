/** Notices that a process has hung: it no longer answers. */
import * as Effect from "effect/Effect"

/** The heartbeat of a process. */
export interface Heartbeat {
  /** The process has sent something. */
  readonly beat: () => void
  /** Asks it once a second. */
  readonly ask: Effect.Effect<never>
  /** Completes once so many questions in a row had a second each, and no answer. */
  readonly lost: (questions: number) => Effect.Effect<void>
}

/** Counts questions, not time: if this process itself was suspended, the other one still has time to answer. */
export const make = (ask: () => void): Heartbeat => {
  let unanswered = 0
  const askAgain = Effect.sync(() => {
    unanswered++
    ask()
  })
  return {
    beat: () => {
      unanswered = 0
    },
    ask: askAgain.pipe(Effect.delay("1 second"), Effect.forever),
    lost: (questions) =>
      Effect.sync(() => unanswered > questions).pipe(
        Effect.delay("100 millis"),
        Effect.repeat({ until: (isLost) => isLost }),
        Effect.asVoid
      )
  }
}
