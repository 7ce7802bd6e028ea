/** Notices that a process has hung: it no longer answers. */
import * as Effect from "effect/Effect"

/** Counts questions, not time: if this process itself was suspended, the other one still has time to answer. */
export const make = (ask: () => void) => {
  let unanswered = 0
  const askAgain = Effect.sync(() => {
    unanswered++
    ask()
  })
  return {
    /** The process has sent something. */
    beat: () => {
      unanswered = 0
    },
    /** Asks once a second. Completes once this many questions in a row had a second each, and no answer. */
    lost: (questions: number) =>
      Effect.zipRight(askAgain, Effect.sleep("1 second")).pipe(
        Effect.repeat({ until: () => unanswered >= questions })
      )
  }
}
