/** The API as a function from a `Request` to a `Response`, for tests of callers: no socket. */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as ApiServer from "./ApiServer.ts"
import type { Authentication } from "./Authentication.ts"
import * as Exchange from "./internal/exchange/Exchange.ts"
import type * as Reply from "./internal/exchange/Reply.ts"
import * as RequestRunner from "./internal/exchange/RequestRunner.ts"

/** Builds the layer and the handlers at once; requests wait for them, and are rejected if they fail. */
export const make = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2, E3>(
  api: ApiServer.Api<Groups, E, E2, R2>,
  layer: Layer.Layer<R2 | Authentication, E3>
): ((request: Request) => Promise<Response>) => {
  const handler = ApiServer.make(api, () => false)
  const starting = Effect.all({ handler, runner: RequestRunner.make })
  const started = ManagedRuntime.make(layer).runPromise(starting)
  // Each request reports the failure.
  started.catch(() => {})
  return async (request) => {
    const body = new Uint8Array(await request.arrayBuffer())
    const { handler, runner } = await started
    return new Promise((resolve, reject) => {
      const { signal } = request
      const incoming = incomingOf(request, body)
      const response = new ServerResponse(incoming)
      const abandon = () => {
        response.destroy()
        // Without a socket Node emits nothing, and the handler would go on.
        response.emit("close")
        reject(signal.reason)
      }
      if (signal.aborted) return abandon()
      signal.addEventListener("abort", abandon)
      const exchange = new Exchange.Exchange(incoming, response, false)
      runner.answer(exchange, handler, (reply) => resolve(responseOf(exchange, reply)))
    })
  }
}

const incomingOf = ({ headers, method, url }: Request, body: Uint8Array): IncomingMessage => {
  const { pathname, search } = new URL(url)
  const incoming = Object.assign(new IncomingMessage(new Socket()), {
    method,
    url: `${pathname}${search}`,
    headers: Object.fromEntries(headers),
    rawHeaders: [...headers].flat(),
    complete: true
  })
  incoming.push(body)
  incoming.push(null)
  return incoming
}

const responseOf = (exchange: Exchange.Exchange, reply: Reply.Reply): Response => {
  const headers = new Headers(Exchange.headersOf(exchange, reply) as Array<[string, string]>)
  const { body } = reply
  const isEmpty = body === undefined || body.bytes === 0 || exchange.request.method === "HEAD"
  return new Response(isEmpty ? null : body.content, { status: reply.status, headers })
}
