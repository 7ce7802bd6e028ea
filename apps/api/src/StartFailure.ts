/** What keeps the service from starting, in a line that names the variable and the fix. */
import type { StoreUnavailable } from "@petstore/domain/PetStore"
import type { ListenFailed } from "@petstore/http-server/HttpListener"
import * as Cause from "effect/Cause"
import type * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { AppConfig } from "./AppConfig.ts"

/** The service could not start, and why. */
export class StartFailure extends Data.TaggedError("StartFailure")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** The failure of a part, told in terms of the configuration that chose the part. */
export const fromPart =
  (config: AppConfig) =>
  (error: ListenFailed | StoreUnavailable): StartFailure =>
    new StartFailure({
      message: error._tag === "ListenFailed" ? listen(error) : store(config, error),
      cause: error
    })

/** Every variable that is wrong, a line each. */
export const fromConfig = (error: ConfigError.ConfigError): StartFailure =>
  new StartFailure({ message: complaints(error).join("\n"), cause: error })

/** Prints why the service could not start, and lets it fail. */
export const report = <A, R>(
  effect: Effect.Effect<A, StartFailure, R>
): Effect.Effect<A, StartFailure, R> =>
  Effect.tapErrorCause(effect, (cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.void
      : Console.error(cause._tag === "Fail" ? cause.error.message : Cause.pretty(cause))
  )

const complaints = (error: ConfigError.ConfigError): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
      return [...complaints(error.left), ...complaints(error.right)]
    case "Or":
      return complaints(error.left)
    default:
      return [error.message]
  }
}

const listen = ({ cause, host, port }: ListenFailed): string => {
  switch (cause.code) {
    case "EADDRINUSE":
      return `PORT ${port} is in use on ${host}: stop what uses it, or set PORT to another`
    case "EACCES":
      return `PORT ${port} is not open to this user: set PORT to one above 1023`
    default:
      return `HOST ${host} cannot be listened on (${cause.message}): set HOST to an address of this machine`
  }
}

const store = ({ database }: AppConfig, failure: StoreUnavailable): string =>
  `DATABASE_URL ${database.url} cannot be used (${innermost(failure).message}): set DATABASE_URL to a file that can be written, or to memory:`

/** What it all comes from says most. */
const innermost = (error: Error): Error =>
  error.cause instanceof Error ? innermost(error.cause) : error
