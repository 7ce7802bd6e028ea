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
  const unreachable = `cannot reach ${url}: run petstore serve, or ${fix}`
  switch (error.code) {
    case "network_failure":
    case "timed_out":
      return unavailable(tlsProblem(url, error) ?? unreachable, error)
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

/** What is wrong with the encryption of a connection, if that is why it failed. */
const tlsProblem = (url: string, error: Error): string | undefined => {
  const cause = innermost(error)
  const code = "code" in cause ? String(cause.code) : ""
  // Without what newer versions of Node advise.
  const [message = ""] = Terminal.visible(cause.message).split("; ", 1)
  // Node reports a failed handshake with the code of OpenSSL, or with EPROTO and the text of OpenSSL.
  if (/^(?:ERR_SSL_|EPROTO$)/.test(code)) {
    return /wrong.version.number|packet.length.too.long/i.test(code + message)
      ? `${url} speaks http, not https: use ${url.replace("https:", "http:")}`
      : `the TLS handshake with ${url} failed (${"reason" in cause ? cause.reason : code})`
  }
  if (/SELF_SIGNED|ISSUER_CERT|LEAF_SIGNATURE|UNTRUSTED/.test(code)) {
    return `the certificate of ${url} is not trusted (${message}): set NODE_EXTRA_CA_CERTS to the certificate of its authority`
  }
  return /CERT/.test(code) ? `the certificate of ${url} is not valid (${message})` : undefined
}
