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

/** Sends a request: POST with a body of JSON, else GET. Paths are relative to the service's URL. */
export type Ask = <A, I>(
  path: string,
  schema: Schema.Schema<A, I>,
  json?: string
) => Effect.Effect<Answer<A>, CommandFailed>

/** A client of the service that the environment names. */
export const make: Effect.Effect<Ask, CommandFailed> = Effect.map(
  Effect.mapError(AppConfig.client, fromConfig),
  ({ key, url }): Ask =>
    (path, schema, json) =>
      Effect.gen(function* () {
        const request =
          json === undefined
            ? HttpClientRequest.get(path)
            : HttpClientRequest.bodyText(HttpClientRequest.post(path), json, "application/json")
        const { headers, status, text } = yield* request.pipe(
          HttpClientRequest.prependUrl(url),
          HttpClientRequest.bearerToken(Redacted.value(key)),
          HttpClient.execute,
          Effect.flatMap(({ headers, status, text }) =>
            Effect.map(text, (text) => ({ headers, status, text }))
          ),
          Effect.timeout("30 seconds"),
          Effect.mapError((error) => unreachable(url, error))
        )
        const decode = <B, J>(schema: Schema.Schema<B, J>) =>
          Json.parse(text).pipe(
            Effect.flatMap(Schema.decodeUnknown(schema)),
            Effect.mapError(() => notPetStore(url))
          )
        if (status >= 300) {
          const { message } = yield* decode(ErrorMessage)
          return yield* refusal(status, Terminal.visible(message))
        }
        return { body: yield* decode(schema), next: nextOf(headers["link"]) }
      }).pipe(Effect.provide(FetchHttpClient.layer))
)

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

const unreachable = (url: string, cause: unknown): CommandFailed =>
  unavailable(
    `cannot reach ${url}: run petstore serve, or set PETSTORE_URL to a running service`,
    cause
  )

const notPetStore = (url: string): CommandFailed =>
  failed(`${url} is not a Pet Store: set PETSTORE_URL to a running service`)
