/** The API as a function from a `Request` to a `Response`: for tests of callers, and for any server that has these. */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as ApiServer from "./ApiServer.ts"
import type { Authentication } from "./Authentication.ts"
import * as Exchange from "./internal/exchange/Exchange.ts"
import * as Reply from "./internal/exchange/Reply.ts"
import * as RequestRunner from "./internal/exchange/RequestRunner.ts"

/** The function, and what to call when it is no longer used. */
export interface Mounted {
  readonly handler: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
}

/** The API as a function from a `Request` to a `Response`. */
export const toWebHandler = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2, E3>(
  api: ApiServer.Api<Groups, E, E2, R2>,
  layer: Layer.Layer<R2 | Authentication, E3>
): Mounted => {
  const { answer, dispose } = start(api, layer)
  return {
    dispose,
    handler: (request) =>
      new Promise((resolve, reject) => {
        const abandon = (reason: unknown) => {
          response.destroy()
          // Without a socket Node does not, and the handler would go on.
          response.emit("close")
          reject(reason)
        }
        const body = request.body?.getReader()
        const incoming = incomingOf(request, body, abandon)
        const response = new ServerResponse(incoming)
        if (request.signal.aborted) return abandon(request.signal.reason)
        request.signal.addEventListener("abort", () => abandon(request.signal.reason))
        const exchange = new Exchange.Exchange(incoming, response, false)
        answer(exchange, (reply) => {
          resolve(responseOf(exchange, reply))
          if (body === undefined || incoming.complete) return
          // Discards the rest: a server on Node closes a connection whose body is cancelled.
          incoming.resume()
          setTimeout(cancel, graceMillis, body).unref()
        })
      })
  }
}

/** Builds the layer and the handlers at once; requests that arrive before wait for them. */
const start = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2, E3>(
  api: ApiServer.Api<Groups, E, E2, R2>,
  layer: Layer.Layer<R2 | Authentication, E3>
) => {
  let isDisposed = false
  // Once: callers only see that it failed.
  const log = (cause: Cause.Cause<unknown>) => Effect.logError("the API could not start", cause)
  const runtime = ManagedRuntime.make(Layer.tapErrorCause(layer, log))
  const started = runtime.runPromiseExit(
    Effect.all({
      handler: ApiServer.make(api, () => isDisposed),
      runner: RequestRunner.make
    }).pipe(Effect.tapErrorCause(log))
  )
  return {
    dispose: () => {
      isDisposed = true
      return runtime.dispose()
    },
    answer: (exchange: Exchange.Exchange, reply: (reply: Reply.Reply) => void) =>
      void started.then((exit) => {
        // The caller may have gone before.
        if (exchange.response.destroyed) return
        if (isDisposed) return reply(Reply.refuse("unavailable", "the service has stopped"))
        if (Exit.isSuccess(exit))
          return exit.value.runner.answer(exchange, exit.value.handler, reply)
        reply(Reply.refuse("unavailable", "the service could not start"))
      })
  }
}

/** How long the rest of a body may take. */
const graceMillis = 1000

const cancel = (body: ReadableStreamDefaultReader) => void body.cancel().catch(() => {})

/** A request whose body is read only when a handler asks for it, and no faster. */
const incomingOf = (
  { headers, method, url }: Request,
  body: ReadableStreamDefaultReader<Uint8Array> | undefined,
  onFailure: (cause: unknown) => void
): IncomingMessage => {
  const { pathname, search } = new URL(url)
  const read = async () => {
    const next = await body?.read()
    incoming.complete = next?.done !== false
    incoming.push(next?.value ?? null)
  }
  const incoming: IncomingMessage = Object.assign(new IncomingMessage(new Socket()), {
    method,
    url: `${pathname}${search}`,
    headers: Object.fromEntries(headers),
    rawHeaders: [...headers].flat(),
    _read: (size: number) => {
      // Otherwise Node reads no further than one chunk.
      IncomingMessage.prototype._read.call(incoming, size)
      read().catch(onFailure)
    }
  })
  return incoming
}

const responseOf = (exchange: Exchange.Exchange, reply: Reply.Reply): Response => {
  const headers = new Headers(Exchange.headersOf(exchange, reply) as Array<[string, string]>)
  const { body } = reply
  const isEmpty = body === undefined || body.bytes === 0 || exchange.request.method === "HEAD"
  return new Response(isEmpty ? null : body.content, { status: reply.status, headers })
}
