/** Calls a running service. */
import {
  type CallOptions,
  createPetStore,
  isPetStoreError,
  type PetStore,
  type PetStoreError
} from "@petstore/http-client"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  type CommandFailed,
  failed,
  innermost,
  refused,
  unavailable
} from "../cli/CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"
import * as AppConfig from "../settings/AppConfig.ts"

export type Use<A, R = never> = (
  pets: PetStore["pets"]
) => Effect.Effect<A, PetStoreError | CommandFailed, R>

/** Calls the service that the environment names, any number of times. */
export const call = <A, R>(use: Use<A, R>) =>
  Effect.flatMap(AppConfig.client, ({ key, url }) =>
    Effect.sync(() => createPetStore({ baseUrl: url, apiKey: Redacted.value(key) })).pipe(
      Effect.flatMap(({ pets }) => use(pets)),
      Effect.mapError(fromClient(url))
    )
  )

/** One call; interrupting it aborts its request. */
export const ask = <A>(
  send: (options: CallOptions) => PromiseLike<A>
): Effect.Effect<A, PetStoreError> =>
  Effect.tryPromise({
    try: (signal) => send({ signal }),
    catch: (error) => error
  }).pipe(
    Effect.catchAll((error) => (isPetStoreError(error) ? Effect.fail(error) : Effect.die(error)))
  )

const fromClient = (url: string) => (error: PetStoreError | CommandFailed) => {
  if (error._tag === "CommandFailed") return error
  const message = Terminal.visible(error.message)
  const fix = "set PETSTORE_URL to a running service"
  switch (error.code) {
    case "network_failure":
    case "timed_out":
      return unavailable(
        `cannot reach ${url} (${reasonOf(error)}): run petstore serve, or ${fix}`,
        error
      )
    case "invalid_answer":
      return failed(`${url} is not a Pet Store: ${fix}`, error)
    case "unauthorized":
    case "forbidden":
      return refused(
        `${message}: set PETSTORE_API_KEY to a key that petstore keys create issued for its database`
      )
    case "rate_limited":
    case "unavailable":
      return unavailable(message)
    default:
      return failed(message)
  }
}

/** The most specific reason: that of OpenSSL is in a word of its own, and a list of errors has only a code. */
const reasonOf = (error: Error): string => {
  const cause: Error & { readonly reason?: unknown; readonly code?: unknown } = innermost(error)
  return Terminal.visible(String(cause.reason ?? (cause.message || cause.code)))
}
