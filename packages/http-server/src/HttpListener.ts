/** The listening socket: accepts connections, and drains them when the service stops. */
import * as Http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Answering from "./internal/Answering.ts"
import * as Backlog from "./internal/Backlog.ts"
import * as Connection from "./internal/Connection.ts"
import * as Exchange from "./internal/Exchange.ts"
import * as Health from "./internal/Health.ts"
import * as MalformedRequest from "./internal/MalformedRequest.ts"
import type { Reply } from "./internal/Reply.ts"

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

/** Address, timeouts and size limits. */
export interface Options {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** How long a request's headers may take. */
  readonly headersTimeout: Duration.DurationInput
  /** How long a request may take to arrive as a whole. */
  readonly requestTimeout: Duration.DurationInput
  /** How long a connection may stay idle between requests. */
  readonly keepAliveTimeout: Duration.DurationInput
  /** How many bytes a request's headers may have. */
  readonly maxHeaderBytes: number
  /** How long a connection may accept nothing of its answer. */
  readonly sendTimeout: Duration.DurationInput
  /** How many bytes may wait to be sent, on all connections together. */
  readonly maxUnsentBytes: number
  /** How long requests in flight may take to finish once the service stops. */
  readonly drainTimeout: Duration.DurationInput
  /** Called with every answer, also to malformed requests, when it is sent. */
  readonly onAnswer?: (exchange: Exchange.Exchange, reply: Reply) => void
}

/** The default timeouts and limits. */
export const defaults = {
  headersTimeout: "10 seconds",
  requestTimeout: "15 seconds",
  keepAliveTimeout: "5 seconds",
  sendTimeout: "60 seconds",
  maxHeaderBytes: 16_384,
  maxUnsentBytes: 33_554_432,
  drainTimeout: "10 seconds"
} satisfies Partial<Options>

/** A listening socket. It answers 503 until a handler is served. */
export class HttpListener extends Context.Tag("@petstore/http-server/HttpListener")<
  HttpListener,
  {
    /** Where callers on this machine reach it. */
    readonly url: string
    /** Serves until the scope closes; then lets requests in flight finish and closes the rest. */
    readonly serve: (handler: Answering.Handler) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}

/** Listens until its scope closes. */
export const layer = (options: Options): Layer.Layer<HttpListener, ListenFailed> =>
  Layer.scoped(HttpListener, make(options))

const make = (options: Options) =>
  Effect.gen(function* () {
    const answering = yield* Answering.make
    const connections = new Map<Socket, Connection.Connection>()
    const backlog = Backlog.make({
      maxBytes: options.maxUnsentBytes,
      timeoutMillis: Duration.toMillis(options.sendTimeout)
    })
    let handler: Answering.Handler = Health.starting
    let draining = false
    const shared: Connection.Shared = {
      backlog,
      handle: (exchange, reply) => answering.answer(exchange, handler, reply),
      isDraining: () => draining,
      onAnswer: options.onAnswer ?? (() => {})
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
    // The limit in bytes is enough; of too many headers Node would silently drop some.
    server.maxHeadersCount = 0
    server.on("connection", (socket) => {
      connections.set(socket, Connection.make(socket, shared))
      socket.once("close", () => connections.delete(socket))
    })
    const accept =
      (awaitsContinue: boolean) =>
      (request: Http.IncomingMessage, response: Http.ServerResponse): void =>
        connections.get(request.socket)?.accept(Exchange.make(request, response, awaitsContinue))
    server.on("request", accept(false))
    server.on("checkContinue", accept(true))
    server.on("checkExpectation", accept(false))
    server.on("connect", (request) => {
      const { socket } = request
      const exchange = Exchange.fromSocket(socket, MalformedRequest.connect, request)
      connections.get(socket)?.accept(exchange)
    })
    server.on("clientError", (error, socket) =>
      connections.get(socket as Socket)?.refuse(MalformedRequest.fromParser(error))
    )

    const drain = Effect.gen(function* () {
      draining = true
      handler = Health.stopping
      yield* acceptWaiting
      server.close()
      const idle = Effect.forEach(
        connections.values(),
        (connection) => Effect.async<void>((resume) => connection.drain(() => resume(Effect.void))),
        { concurrency: "unbounded", discard: true }
      )
      yield* atMost(idle, options.drainTimeout)
      close()
      yield* atMost(answering.interrupt, "100 millis")
    })
    const close = () => {
      server.close()
      for (const socket of connections.keys()) socket.destroy()
    }

    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(backlog.sweep, sweepMillis)),
      (timer) => Effect.sync(() => clearInterval(timer))
    )
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

const sweepMillis = 1000

/** Accepts the connections that the kernel has accepted already, so that they get an answer. */
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

/** Gives up when the time is over, even in an uninterruptible region such as a finalizer. */
const atMost = <A>(effect: Effect.Effect<A>, time: Duration.DurationInput) =>
  effect.pipe(Effect.disconnect, Effect.interruptible, Effect.timeoutOption(time), Effect.asVoid)
