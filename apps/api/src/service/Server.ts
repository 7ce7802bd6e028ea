/** Serves until a signal. */
import type { ListenFailed } from "@petstore/http-transport/NodeServer"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type CommandFailed, exitCodes, fromConfig, unavailable } from "../cli/CommandFailed.ts"
import { countAsDone, Terminal } from "../cli/Terminal.ts"
import { fromStore } from "../databases/Database.ts"
import * as Log from "../observe/Log.ts"
import { AppConfig } from "../settings/AppConfig.ts"
import * as Announcement from "./Announcement.ts"
import * as App from "./App.ts"
import * as OtherService from "./OtherService.ts"

/** Serves as the environment configures it, until interrupted, which counts as success. */
export const serve: Effect.Effect<never, CommandFailed, Terminal> = Effect.gen(function* () {
  const config = yield* Effect.mapError(AppConfig, fromConfig)
  yield* endAtThirdSignal
  yield* config.database.load ?? Effect.void
  return yield* Announcement.ofProcess.pipe(
    Effect.zipRight(Layer.launch(App.layer(config))),
    Effect.catchAll(fromStart(config)),
    Effect.scoped,
    Effect.provide(Log.layer(config))
  )
}).pipe(Effect.onInterrupt(() => countAsDone))

/** The service cannot start: the message names the variable to change. */
const fromStart =
  ({ database, metricsPort }: AppConfig) =>
  (error: ListenFailed | StoreUnavailable): Effect.Effect<never, CommandFailed> => {
    if (error._tag === "StoreUnavailable") return Effect.fail(fromStore(database)(error))
    const { cause, host, port } = error
    const variable = port === metricsPort ? "PETSTORE_METRICS_PORT" : "PORT"
    if (cause.code === "EADDRINUSE") {
      return Effect.flatMap(OtherService.at(host, port), (found) => {
        const user = Option.match(found, { onNone: () => "", onSome: (name) => ` by ${name}` })
        const fix = `stop the other process, or set ${variable} to another port`
        const message = `${variable} ${port} is in use on ${host}${user}: ${fix}`
        return Effect.fail(unavailable(message, error))
      })
    }
    const message =
      cause.code === "EACCES"
        ? `${variable} ${port} requires privileges: set ${variable} to a port above 1023`
        : `HOST ${host} is not available (${cause.message}): set HOST to an address of this machine`
    return Effect.fail(unavailable(message, error))
  }

/**
 * After the first signal the runtime no longer listens for any, so the second would end the process in the
 * middle of answers.
 */
const endAtThirdSignal = Effect.map(Terminal, (terminal) => {
  let count = 0
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    terminal.on(signal, () => {
      if (++count >= 3) terminal.exit(exitCodes.interrupted.code)
    })
  }
})
