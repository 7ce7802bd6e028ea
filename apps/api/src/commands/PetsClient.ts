/** HTTP client of a running service. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Json from "@petstore/http-contract/Json"
import { prefix } from "@petstore/http-contract/PetStoreApi"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AppConfig from "../AppConfig.ts"
import { CommandFailed, failed, fromConfig, unavailable } from "../CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"

/** A response, and the path of the next page, if there is one. */
export interface Answer<A> {
  readonly body: A
  readonly next: string | undefined
}

/**
 * Sends a request to the service that the environment names: POST with a JSON text, GET without. The path is
 * relative to the service's URL.
 */
export const ask = <A, I>(
  path: string,
  schema: Schema.Schema<A, I>,
  json?: string
): Effect.Effect<Answer<A>, CommandFailed> =>
  Effect.gen(function* () {
    const { key, url } = yield* Effect.mapError(AppConfig.client, fromConfig)
    const request =
      json === undefined
        ? HttpClientRequest.get(path)
        : HttpClientRequest.bodyText(HttpClientRequest.post(path), json, "application/json")
    const { response, text } = yield* request.pipe(
      HttpClientRequest.prependUrl(url),
      HttpClientRequest.bearerToken(Redacted.value(key)),
      HttpClient.execute,
      Effect.bindTo("response"),
      Effect.bind("text", ({ response }) => response.text),
      Effect.timeout("30 seconds"),
      Effect.mapError((cause) =>
        unavailable(`cannot reach ${url}: run petstore serve, or ${fix}`, cause)
      )
    )
    const decode = <B, J>(schema: Schema.Schema<B, J>) =>
      Json.parse(text).pipe(
        Effect.flatMap(Schema.decodeUnknown(schema)),
        Effect.mapError(() => failed(`${url} is not a Pet Store: ${fix}`))
      )
    if (response.status >= 300) {
      const { message } = yield* decode(ErrorMessage)
      return yield* refusal(response.status, Terminal.visible(message))
    }
    return { body: yield* decode(schema), next: nextOf(response.headers["link"]) }
  }).pipe(Effect.provide(FetchHttpClient.layer))

const fix = "set PETSTORE_URL to a running service"

/** The part of an error body that is printed. */
const ErrorMessage = Schema.Struct({ message: Schema.String })

const nextOf = (link = ""): string | undefined =>
  new RegExp(`<${prefix}([^>]*)>; rel="next"`).exec(link)?.[1]

const refusal = (status: number, message: string): CommandFailed => {
  if (status === 401 || status === 403) {
    const fix = "set PETSTORE_API_KEY to a key that petstore keys create issued for its database"
    return new CommandFailed({ message: `${message}: ${fix}`, reason: "refused" })
  }
  return status === 429 || status === 503 ? unavailable(message) : failed(message)
}
