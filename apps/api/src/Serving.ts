/** Serves until a signal: in this process, or as a parent of workers, or as one of them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "./App.ts"
import { AppConfig } from "./AppConfig.ts"
import { type CommandFailed, exitCodes, fromConfig } from "./CommandFailed.ts"
import { countAsDone, Terminal } from "./cli/Terminal.ts"
import * as Worker from "./workers/Worker.ts"

/** Serves as the environment configures it, until interrupted, which counts as success. */
export const serve: Effect.Effect<never, CommandFailed, Terminal> = Effect.gen(function* () {
  const config = yield* Effect.mapError(AppConfig, fromConfig)
  const isAlone = config.workers === 1
  const worker = isAlone ? undefined : yield* Worker.current
  // A worker gets every Ctrl-C twice, from the terminal and from its parent. Only the parent counts.
  yield* endAtSignal(worker === undefined ? 3 : Number.POSITIVE_INFINITY)
  if (isAlone || worker !== undefined) return yield* Layer.launch(App.layer(config, worker))
  const Workers = yield* Effect.promise(() => import("./workers/Workers.ts"))
  return yield* Workers.run(config)
}).pipe(Effect.onInterrupt(() => countAsDone))

/**
 * After the first signal the runtime no longer listens for any, so the second would end the process in the
 * middle of answers. It takes this many.
 */
const endAtSignal = (last: number) =>
  Effect.map(Terminal, (terminal) => {
    let count = 0
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      terminal.on(signal, () => {
        if (++count >= last) terminal.exit(exitCodes.interrupted.code)
      })
    }
  })
