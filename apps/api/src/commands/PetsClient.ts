/** HTTP client of a running service. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Json from "@petstore/http-contract/Json"
import { prefix } from "@petstore/http-contract/PetStoreApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AppConfig from "../AppConfig.ts"
import { CommandFailed, fromConfig } from "../CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"
import { withVariables } from "./CommonFlags.ts"

/** A response, and the path of the next page. */
export interface Answer<A> {
  readonly body: A
  readonly next: Option.Option<string>
}

/** Sends a request; paths are relative to the service's URL. */
export type Ask = <A, I>(
  request: { readonly path: string; readonly json?: string },
  schema: Schema.Schema<A, I>
) => Effect.Effect<Answer<A>, CommandFailed>

/** A client of the service that the flag or the environment names. */
export const make = (flag: Option.Option<string>): Effect.Effect<Ask, CommandFailed> =>
  AppConfig.client.pipe(
    withVariables({ PETSTORE_URL: flag }),
    Effect.mapError(fromConfig),
    Effect.map(
      ({ key, url }): Ask =>
        (request, schema) => {
          const made =
            request.json === undefined
              ? HttpClientRequest.get(request.path)
              : HttpClientRequest.post(request.path).pipe(
                  HttpClientRequest.bodyText(request.json, "application/json")
                )
          return made.pipe(
            HttpClientRequest.prependUrl(url),
            HttpClientRequest.bearerToken(Redacted.value(key)),
            HttpClient.execute,
            Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
            Effect.timeout("30 seconds"),
            Effect.mapError((error) => unreachable(url, error)),
            Effect.flatMap(({ response, text }) => read(url, response, text, schema)),
            Effect.provide(FetchHttpClient.layer)
          )
        }
    )
  )

const read = <A, I>(
  url: string,
  { headers, status }: HttpClientResponse.HttpClientResponse,
  text: string,
  schema: Schema.Schema<A, I>
): Effect.Effect<Answer<A>, CommandFailed> => {
  const decode = <B, J>(schema: Schema.Schema<B, J>) =>
    Json.parse(text).pipe(
      Effect.flatMap(Schema.decodeUnknown(schema)),
      Effect.mapError(() => notPetStore(url))
    )
  return status < 300
    ? Effect.map(decode(schema), (body) => ({ body, next: nextOf(headers["link"]) }))
    : Effect.flatMap(decode(ErrorMessage), ({ message }) =>
        refusal(status, Terminal.visible(message))
      )
}

/** The part of an error body that is printed. */
const ErrorMessage = Schema.Struct({ message: Schema.String })

const nextOf = (link: string | undefined): Option.Option<string> =>
  Option.fromNullable(new RegExp(`<${prefix}([^>]*)>; rel="next"`).exec(link ?? "")?.[1])

const refusal = (status: number, message: string): CommandFailed => {
  if (status === 401 || status === 403) {
    const fix = "set PETSTORE_API_KEY to a key that petstore keys create issued for its database"
    return new CommandFailed({ message: `${message}: ${fix}`, reason: "refused" })
  }
  const isLater = status === 429 || status === 503
  return new CommandFailed({ message, reason: isLater ? "unavailable" : "failed" })
}

const unreachable = (url: string, cause: unknown): CommandFailed =>
  new CommandFailed({
    message: `cannot reach ${url}: run petstore serve, or set PETSTORE_URL to a running service`,
    reason: "unavailable",
    cause
  })

const notPetStore = (url: string): CommandFailed =>
  new CommandFailed({
    message: `${url} is not a Pet Store: set PETSTORE_URL to a running service`,
    reason: "failed"
  })
