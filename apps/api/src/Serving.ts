/** Serves until a signal: in this process, or as a parent of workers, or as one of them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as App from "./App.ts"
import { AppConfig } from "./AppConfig.ts"
import { type CommandFailed, exitCodes, fromConfig } from "./CommandFailed.ts"
import { countAsDone, Terminal } from "./cli/Terminal.ts"

/** Serves as the environment configures it, until interrupted, which counts as success. */
export const serve: Effect.Effect<never, CommandFailed, Terminal> = AppConfig.pipe(
  Effect.mapError(fromConfig),
  Effect.flatMap((config) =>
    config.workers === 1
      ? Effect.zipRight(endAtSignal(3), Layer.launch(App.layer(config)))
      : serveTogether(config)
  ),
  Effect.onInterrupt(() => countAsDone)
)

/** Serves as the worker that this process is, or as the parent of workers. */
const serveTogether = (config: AppConfig) =>
  Effect.gen(function* () {
    const Worker = yield* Effect.promise(() => import("./workers/Worker.ts"))
    const current = yield* Worker.current
    if (Option.isSome(current)) {
      // A worker gets every Ctrl-C twice, from the terminal and from its parent. Only the parent counts.
      yield* endAtSignal(Number.POSITIVE_INFINITY)
      return yield* Layer.launch(App.layer(config, current.value))
    }
    yield* endAtSignal(3)
    const Workers = yield* Effect.promise(() => import("./workers/Workers.ts"))
    return yield* Workers.run(config)
  })

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
