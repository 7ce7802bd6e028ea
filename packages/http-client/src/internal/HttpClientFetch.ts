/** An `HttpClient` as a `fetch`. */
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Running, run } from "./EffectCall.ts"

/** Sends by this client. */
export const byHttpClient =
  (client: HttpClient.HttpClient): Running =>
  (runtime) => ({
    fetch: async (url, { body: sent, headers, method, signal }) => {
      const request = HttpClientRequest.make(method)(url, {
        headers,
        ...(sent !== null && { body: HttpBody.text(sent, "application/json") })
      })
      const response = await run(
        runtime,
        Effect.catchTag(client.execute(request), "ResponseError", refusedStatus),
        signal
      )
      // Browsers show redirects with status 0.
      if (response.status === 0) return Response.error()
      const content = response.stream.pipe(
        Stream.catchAll((cause) =>
          cause.reason === "EmptyBody" ? Stream.empty : Stream.fail(cause)
        ),
        Stream.interruptWhen(
          Effect.async((resume) => signal.addEventListener("abort", () => resume(Effect.void)))
        )
      )
      // No more than one piece is read ahead: the rest may be too large.
      const options = { strategy: { highWaterMark: 0 } }
      const body = Stream.toReadableStreamRuntime(content, runtime, options)
      return new Response([204, 205, 304].includes(response.status) ? null : body, response)
    }
  })

/** The response, if the caller's client accepts successful ones only: the service has an error for the others. */
const refusedStatus = (error: HttpClientError.ResponseError) =>
  error.reason === "StatusCode" ? Effect.succeed(error.response) : Effect.fail(error)
