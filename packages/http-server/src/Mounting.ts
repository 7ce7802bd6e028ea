/** An API inside a server of one's own: Express, Fastify, an Effect server, or any that has `Request` and `Response`. */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as ApiServer from "./ApiServer.ts"
import type { Authentication } from "./Authentication.ts"
import * as Backlog from "./internal/Backlog.ts"
import * as Exchange from "./internal/Exchange.ts"
import * as Reply from "./internal/Reply.ts"
import * as RequestRunner from "./internal/RequestRunner.ts"

/** A handler for another server, and what to call when that server has stopped. */
export interface Mounted<Handler> {
  readonly handler: Handler
  readonly dispose: () => Promise<void>
}

/** The API as a handler of `node:http`, which no parser of bodies has read before. */
export const toNodeHandler = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2, E3>(
  api: ApiServer.Api<Groups, E, E2, R2>,
  layer: Layer.Layer<R2 | Authentication, E3>
): Mounted<(request: IncomingMessage, response: ServerResponse) => void> => {
  const { answer, backlog, dispose } = start(api, layer)
  return {
    dispose,
    handler: (request, response) => {
      const exchange = new Exchange.Exchange(request, response, backlog, false)
      response.once("close", () => backlog.release(request.socket))
      if (request.readableEnded) return Exchange.send(exchange, bodyIsGone, false)
      answer(exchange, (reply) => Exchange.send(exchange, reply, false))
    }
  }
}

/** The API as a function from a `Request` to a `Response`. */
export const toWebHandler = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2, E3>(
  api: ApiServer.Api<Groups, E, E2, R2>,
  layer: Layer.Layer<R2 | Authentication, E3>
): Mounted<(request: Request) => Promise<Response>> => {
  const { answer, backlog, dispose } = start(api, layer)
  return {
    dispose,
    handler: (request) =>
      new Promise((resolve, reject) => {
        const incoming = incomingOf(request)
        const response = new ServerResponse(incoming)
        const abandon = (reason: unknown) => {
          response.destroy()
          reject(reason)
        }
        request.signal.addEventListener("abort", () => abandon(request.signal.reason))
        feed(incoming, request).catch(abandon)
        const exchange = new Exchange.Exchange(incoming, response, backlog, false)
        answer(exchange, (reply) => {
          backlog.release(incoming.socket)
          resolve(responseOf(exchange, reply))
        })
      })
  }
}

/** The answer that tells who mounts an API of a mistake; without it, the request would wait for its body for ever. */
const bodyIsGone = Reply.refuse(
  "internal_error",
  "the body was read before the API got the request: mount it before any parser of bodies"
)

/** Builds the layer and the handlers at once; requests that arrive before wait for them. */
const start = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2, E3>(
  api: ApiServer.Api<Groups, E, E2, R2>,
  layer: Layer.Layer<R2 | Authentication, E3>
) => {
  const runtime = ManagedRuntime.make(layer)
  const started = runtime.runPromise(
    Effect.all({ handler: ApiServer.make(api, () => false), runner: RequestRunner.make })
  )
  const failed = Reply.refuse("unavailable", "the service could not start")
  // Once: callers only see that it failed.
  started.catch((cause) => Effect.runFork(Effect.logError("the API could not start", cause)))
  return {
    // The server that it is mounted in limits what waits to be sent.
    backlog: Backlog.make({ maxUnsentBytes: Number.POSITIVE_INFINITY, sendTimeout: 0 }, () => {}),
    dispose: () => runtime.dispose(),
    answer: (exchange: Exchange.Exchange, reply: (reply: Reply.Reply) => void) =>
      void started.then(
        ({ handler, runner }) => runner.answer(exchange, handler, reply),
        (cause) => reply({ ...failed, cause })
      )
  }
}

const incomingOf = ({ headers, method, url }: Request): IncomingMessage => {
  const { pathname, search } = new URL(url)
  return Object.assign(new IncomingMessage(new Socket()), {
    method,
    url: `${pathname}${search}`,
    headers: Object.fromEntries(headers),
    rawHeaders: [...headers].flat(),
    // Its body is pushed.
    _read: () => {}
  })
}

/** Passes the body on. */
const feed = async (incoming: IncomingMessage, { body }: Request): Promise<void> => {
  if (body !== null) for await (const chunk of body) incoming.push(chunk)
  incoming.complete = true
  incoming.push(null)
}

const responseOf = (exchange: Exchange.Exchange, reply: Reply.Reply): Response => {
  const headers = new Headers(Arr.chunksOf(Exchange.headersOf(exchange, reply), 2))
  const isEmpty = reply.body === undefined || exchange.request.method === "HEAD"
  return new Response(isEmpty ? null : reply.body.content, { status: reply.status, headers })
}
