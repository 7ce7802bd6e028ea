/** The listening socket: from the first connection to the last answer. */
import * as Http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Answering from "./Answering.ts"
import * as ClientError from "./ClientError.ts"
import * as Exchange from "./Exchange.ts"
import * as Health from "./Health.ts"

/** The address could not be listened on. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly cause: NodeJS.ErrnoException
}> {
  override get message() {
    return `cannot listen on ${this.host}:${this.port}: ${this.cause.code ?? this.cause.message}`
  }
}

/** Where to listen, and how long and how much to put up with. */
export interface Options {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** How long a request's headers may take. */
  readonly headersTimeout: Duration.DurationInput
  /** How long a request may take to arrive as a whole. */
  readonly requestTimeout: Duration.DurationInput
  /** How long a connection may stay idle between requests. */
  readonly keepAliveTimeout: Duration.DurationInput
  /** How many bytes a request's headers may have. */
  readonly maxHeaderBytes: number
  /** How long requests in flight may take to finish once the service stops. */
  readonly drainTimeout: Duration.DurationInput
}

/** The limits of a service that was told none. */
export const defaults = {
  headersTimeout: "10 seconds",
  requestTimeout: "15 seconds",
  keepAliveTimeout: "5 seconds",
  maxHeaderBytes: 16_384,
  drainTimeout: "10 seconds"
} satisfies Partial<Options>

/** A socket that listens, and answers 503 while nobody serves. */
export class HttpListener extends Context.Tag("@petstore/http-server/HttpListener")<
  HttpListener,
  {
    /** Where callers on this machine reach it. */
    readonly url: string
    /** Serves until the scope closes; then lets requests in flight finish and closes the rest. */
    readonly serve: (handler: Answering.Handler) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}

/** Listens for as long as the layer lives. */
export const layer = (options: Options): Layer.Layer<HttpListener, ListenFailed> =>
  Layer.scoped(HttpListener, make(options))

const make = (options: Options) =>
  Effect.gen(function* () {
    const answering = yield* Answering.make
    /** Each open connection with its latest exchange, if it has had any. */
    const connections = new Map<Socket, Exchange.Exchange | undefined>()
    let handler: Answering.Handler = Health.starting
    let draining = false

    const onRequest = (
      request: Http.IncomingMessage,
      response: Http.ServerResponse,
      awaitsContinue: boolean
    ) => {
      const { socket } = request
      const previous = connections.get(socket)
      const exchange = Exchange.make(request, response, awaitsContinue, previous)
      connections.set(socket, exchange)
      const refusal = ClientError.refuseHead(exchange)
      if (refusal !== undefined) return Exchange.send(exchange, refusal, true)
      const answer = () =>
        answering.answer(exchange, handler, () => draining && connections.get(socket) === exchange)
      if (exchange.earlier === undefined) return answer()
      // One at a time: an answer may depend on the one before, and nobody may pile up answers.
      const { response: earlier } = exchange.earlier
      earlier.once("close", () => {
        exchange.earlier = undefined
        if (earlier.shouldKeepAlive) answer()
      })
    }

    const headersTimeout = Duration.toMillis(options.headersTimeout)
    const requestTimeout = Duration.toMillis(options.requestTimeout)
    const server = Http.createServer({
      // Headers are part of the request, and Node insists that they do not have longer.
      headersTimeout: Math.min(headersTimeout, requestTimeout),
      requestTimeout,
      keepAliveTimeout: Duration.toMillis(options.keepAliveTimeout),
      maxHeaderSize: options.maxHeaderBytes,
      connectionsCheckingInterval: 1000,
      // Node would answer a missing Host by itself, without a body.
      requireHostHeader: false
    })
    // A caller may be done with sending and still wait for its answer. Node knows, but its types do not.
    Object.assign(server, { httpAllowHalfOpen: true })
    // The limit in bytes is enough; of too many headers Node would drop some in silence.
    server.maxHeadersCount = 0
    // A connection on which nothing moves at all is cut: its caller does not read.
    server.timeout = longestSilence
    server.on("connection", (socket) => {
      connections.set(socket, undefined)
      socket.once("close", () => connections.delete(socket))
    })
    server.on("request", (request, response) => onRequest(request, response, false))
    server.on("checkContinue", (request, response) => onRequest(request, response, true))
    server.on("checkExpectation", (request, response) => onRequest(request, response, false))
    server.on("connect", (request, socket) =>
      ClientError.refuseConnect(request, socket, connections.get(request.socket))
    )
    server.on("clientError", (error, socket) =>
      ClientError.answer(error, socket, connections.get(socket as Socket))
    )

    const drain = Effect.gen(function* () {
      draining = true
      handler = Health.stopping
      yield* acceptWaiting
      server.close()
      const unfinished: Array<Http.ServerResponse> = []
      for (const [socket, latest] of connections) {
        const inFlight = Exchange.inFlight(latest)
        if (inFlight.length === 0) socket.destroy()
        unfinished.push(...inFlight.map((exchange) => exchange.response))
      }
      const finished = Effect.forEach(unfinished, closed, { concurrency: "unbounded" })
      yield* atMost(finished, options.drainTimeout)
      close()
      yield* atMost(answering.interrupt, "100 millis")
    })
    const close = () => {
      server.close()
      for (const socket of connections.keys()) socket.destroy()
    }

    yield* Effect.acquireRelease(listen(server, options), () => Effect.sync(close))
    return HttpListener.of({
      url: urlOf(server.address()),
      serve: (next) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            handler = next
          }),
          () => drain
        )
    })
  })

const longestSilence = 60_000

/** Connections that were made before the service was told to stop still get an answer. */
const acceptWaiting = Effect.async<void>((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

const listen = (server: Http.Server, { host, port }: Options) =>
  Effect.async<void, ListenFailed>((resume) => {
    server.on("error", (cause) => resume(Effect.fail(new ListenFailed({ host, port, cause }))))
    server.listen(port, host, () => resume(Effect.void))
  })

const urlOf = (address: AddressInfo | string | null): string => {
  if (address === null || typeof address === "string") return String(address)
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address.address] ?? address.address
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`
}

/** Gives up when the time is over, even where nothing can be interrupted, as while a scope closes. */
const atMost = <A>(effect: Effect.Effect<A>, time: Duration.DurationInput) =>
  effect.pipe(Effect.disconnect, Effect.interruptible, Effect.timeoutOption(time), Effect.asVoid)

const closed = (response: Http.ServerResponse) =>
  Effect.async<void>((resume) => {
    if (response.closed) resume(Effect.void)
    else response.once("close", () => resume(Effect.void))
  })
