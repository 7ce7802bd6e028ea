/** Logs that the service serves, and that it stops. */
import { readFileSync } from "node:fs"
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

/** What a process has open besides connections. */
const otherFiles = 100

/** Warns if connections may use up the file descriptors: the system then drops more without a word to Node. Linux only. */
const warnOfFewFiles = ({ maxConnections }: AppConfig) =>
  Effect.try(() => readFileSync("/proc/self/limits", "utf8")).pipe(
    Effect.map((limits) =>
      Number(/^Max open files +([0-9]+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
    ),
    Effect.flatMap((files) =>
      files >= maxConnections + otherFiles
        ? Effect.void
        : Effect.logWarning(
            `the limit of open files is ${files}: connections past it are dropped; raise it (LimitNOFILE, ulimit -n) or lower PETSTORE_MAX_CONNECTIONS from ${maxConnections}`
          )
    ),
    Effect.ignore
  )

/** Logs the address once everything that the service needs is built, and later that it stops. */
export const layer = (config: AppConfig) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { host, url } = yield* HttpListener.HttpListener
      const isAll = host === "0.0.0.0" || host === "::"
      const served = isAll ? `port ${new URL(url).port} of all addresses (${host})` : url
      const how = config.isReadOnly ? `${served} read-only` : served
      yield* warnOfFewFiles(config)
      yield* Effect.logInfo(`serving ${how} from ${config.database.url}; read ${url}/docs`)
      yield* Effect.addFinalizer(() =>
        Effect.logInfo("stopping after in-flight requests; two more signals stop it immediately")
      )
    })
  )
