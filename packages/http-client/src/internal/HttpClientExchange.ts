/** One try, sent by an `HttpClient`. */
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import { type Exchange, fromPromise } from "./EffectCall.ts"
import { decode, noAnswer, prepare } from "./Exchange.ts"

/** Sends by this client. */
export const byHttpClient =
  (client: HttpClient.HttpClient): Exchange =>
  (settings, operation, call, attempt) =>
    Effect.gen(function* () {
      const [request, headers] = yield* fromPromise(() =>
        prepare(settings, operation, call, attempt)
      )
      const { body, method, url } = request
      const sent = HttpClientRequest.make(method)(url, {
        headers,
        ...(body !== null && { body: HttpBody.text(body, "application/json") })
      })
      const { response, text } = yield* client.execute(sent).pipe(
        Effect.catchTag("ResponseError", refusedStatus),
        Effect.bindTo("response"),
        Effect.bind("text", ({ response }) => response.text),
        Effect.mapError((cause) => noAnswer(settings, cause))
      )
      // Some statuses must not have a body, be it empty. Browsers show redirects with status 0.
      const web = response.status === 0 ? Response.error() : new Response(text || null, response)
      return yield* fromPromise(async () => {
        await settings.onResponse?.(web, request)
        await call.onResponse?.(web, request)
        return decode(settings, operation, web, text)
      })
    })

/** The response, if the caller's client accepts successful ones only: the service has an error for the others. */
const refusedStatus = (error: HttpClientError.ResponseError) =>
  error.reason === "StatusCode" ? Effect.succeed(error.response) : Effect.fail(error)
