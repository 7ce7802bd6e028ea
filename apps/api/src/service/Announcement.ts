/** Logs that the service serves, and that it stops. */
import * as HttpListener from "@petstore/http-transport/HttpListener"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AppConfig } from "../settings/AppConfig.ts"
import * as UnknownVariables from "../settings/UnknownVariables.ts"

/** Warns of misspelt settings, and logs the end of the scope, unless it ends because the service did not start. */
export const ofProcess: Effect.Effect<void, never, Scope.Scope> = Effect.zipRight(
  UnknownVariables.warn,
  Effect.addFinalizer((exit) =>
    Exit.isInterrupted(exit) ? Effect.logInfo("stopped") : Effect.void
  )
)

/** Logs the address once everything that the service needs is built, and later that it stops. */
export const layer = (config: AppConfig) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { host, url } = yield* HttpListener.HttpListener
      const isAll = host === "0.0.0.0" || host === "::"
      const served = isAll ? `port ${new URL(url).port} of all addresses (${host})` : url
      const how = config.isReadOnly ? `${served} read-only` : served
      yield* Effect.logInfo(`serving ${how} from ${config.database.url}; read ${url}/docs`)
      yield* Effect.addFinalizer(() =>
        Effect.logInfo("stopping after in-flight requests; two more signals stop it immediately")
      )
    })
  )
