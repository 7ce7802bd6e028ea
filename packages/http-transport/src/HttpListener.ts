/** The listening socket: accepts connections, and drains them when the service stops. */
import * as Http from "node:http"
import { type Socket, Server as TcpServer } from "node:net"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Connection from "./internal/connection/Connection.ts"
import * as Drain from "./internal/connection/Drain.ts"
import * as MalformedRequest from "./internal/connection/MalformedRequest.ts"
import * as Exchange from "./internal/exchange/Exchange.ts"
import * as RequestRunner from "./internal/exchange/RequestRunner.ts"
import * as Health from "./internal/pages/Health.ts"
import {
  type Address,
  type BoundAddress,
  boundAddress,
  type ListenFailed,
  listen
} from "./NodeServer.ts"
import type { Observer } from "./Observer.ts"

export type { BoundAddress }

/** Address, timeouts and limits. */
export interface Options extends Address, Drain.Options {
  /** How long a request may take to arrive as a whole. */
  readonly requestTimeout: Duration.DurationInput
  /** How long a connection may stay idle between requests. */
  readonly keepAliveTimeout: Duration.DurationInput
  /** How long a connection may accept nothing of its answer. */
  readonly sendTimeout: Duration.DurationInput
  /** How many requests may be handled at a time; any more are answered 503. */
  readonly maxInFlight: number
  /** How many connections may be open; one that is not busy makes room, else requests on any more are answered 503. */
  readonly maxConnections: number
  /** How long to go on serving, but not ready, once the service stops. */
  readonly prestop: Duration.DurationInput
  /** Whether to listen, and to answer 503, before there is a handler. */
  readonly listensEarly: boolean
  readonly observers: ReadonlyArray<Observer>
}

/** The default timeouts and limits. */
export const defaults = {
  requestTimeout: "15 seconds",
  keepAliveTimeout: "5 seconds",
  sendTimeout: "60 seconds",
  maxInFlight: 10_000,
  maxConnections: 10_000,
  prestop: 0,
  drainTimeout: "10 seconds",
  listensEarly: true,
  observers: []
} satisfies Partial<Options>

/** How long a request's headers may take, and how many bytes they may have. */
const headersTimeout = 10_000
const maxHeaderBytes = 16_384

/** How many bytes of answers may wait to be sent; past it, requests are answered 503. */
const maxUnsentBytes = 67_108_864

/** What a listener is doing. */
export interface Load {
  /** How many connections are open. */
  readonly connections: number
  /** How many requests are being handled. */
  readonly inFlight: number
  /** How many requests were answered 503 because of a limit, since the start. */
  readonly shed: number
  /** How many connections were closed because their callers did not read, or sent too many requests, since the start. */
  readonly cut: number
}

/** A listening socket. If it listens early, it answers 503 until a handler is served. */
export class HttpListener extends Context.Tag("@petstore/http-transport/HttpListener")<
  HttpListener,
  BoundAddress & {
    /** Serves until the scope closes; then lets requests in flight finish and closes the rest. */
    readonly serve: (
      handler: RequestRunner.Handler
    ) => Effect.Effect<void, ListenFailed, Scope.Scope>
    /** Whether the service is stopping: it still serves, but callers should go elsewhere. */
    readonly isStopping: () => boolean
    /** What it is doing. */
    readonly load: () => Load
  }
>() {}

/** Listens until its scope closes. */
export const layer = (options: Options): Layer.Layer<HttpListener, ListenFailed> =>
  Layer.scoped(HttpListener, make(options))

const make = (options: Options) =>
  Effect.gen(function* () {
    const runner = yield* RequestRunner.make
    const connections = new Map<Socket, Connection.Connection>()
    const cut = (socket: Socket, why: string) => {
      cuts++
      const facts = { address: socket.remoteAddress, unsentBytes: socket.writableLength }
      runner.log(Effect.annotateLogs(Effect.logWarning(`a connection was closed: ${why}`), facts))
      socket.destroy()
    }
    const around = (handler: RequestRunner.Handler) =>
      options.observers.reduce((inner, { around }) => around?.(inner) ?? inner, handler)
    let handler = around(Health.starting)
    let isServing = false
    let isStopping = false
    let isDraining = false
    let shed = 0
    let cuts = 0
    const counts = { inFlight: 0, queuedBytes: 0, unsentBytes: 0 }
    const hasTooMany = () => connections.size > options.maxConnections
    /** Closes the connection whose last request is the longest ago, of those that are not busy. */
    const makeRoom = () => {
      for (const [socket, connection] of connections)
        if (!connection.isBusy()) {
          connections.delete(socket)
          return void socket.destroy()
        }
    }
    const shared: Connection.Shared = {
      counts,
      handle: (exchange, reply) => {
        const { socket } = exchange.request
        const connection = connections.get(socket)
        // The last one now.
        if (connections.delete(socket) && connection) connections.set(socket, connection)
        if (hasTooMany()) makeRoom()
        if (
          hasTooMany() ||
          counts.inFlight > options.maxInFlight ||
          counts.unsentBytes > maxUnsentBytes
        ) {
          exchange.notes.isShed = true
          shed++
        }
        runner.answer(exchange, handler, reply)
      },
      closesWhenIdle: () => isDraining || hasTooMany(),
      cut,
      sendTimeout: Duration.toMillis(options.sendTimeout),
      onAnswer: (exchange, reply) => {
        for (const observer of options.observers) observer.onAnswer?.(exchange, reply)
      }
    }

    const requestTimeout = Duration.toMillis(options.requestTimeout)
    const server = Http.createServer({
      // `headersTimeout` must not exceed `requestTimeout`.
      headersTimeout: Math.min(headersTimeout, requestTimeout),
      requestTimeout,
      keepAliveTimeout: Duration.toMillis(options.keepAliveTimeout),
      maxHeaderSize: maxHeaderBytes,
      connectionsCheckingInterval: 1000,
      // Node would answer a missing Host by itself, without a body.
      requireHostHeader: false
    })
    Object.assign(server, {
      // A caller may be done with sending and still wait for its answer. Node knows, but its types do not.
      httpAllowHalfOpen: true,
      // Node would also close connections that have not sent a request yet.
      close: () => TcpServer.prototype.close.call(server)
    })
    // Node drops the others silently.
    server.maxHeadersCount = MalformedRequest.maxHeaders
    const serve = server.listeners("connection")
    server.removeAllListeners("connection").on("connection", (socket) => {
      // This reads the address now: Node caches it, and it is gone after a disconnect.
      const isGone = socket.remoteAddress === undefined && socket.localAddress !== undefined
      // Reset while it waited to be accepted. These must cost little: Node accepts one connection in each turn.
      if (isGone) return void socket.destroy()
      for (const listener of serve) listener.call(server, socket)
      if (connections.size >= options.maxConnections) makeRoom()
      connections.set(socket, Connection.make(socket, shared))
      socket.once("close", () => connections.delete(socket))
    })
    server.on("timeout", (socket) => connections.get(socket)?.closeIfStill())
    const accept =
      (awaitsContinue: boolean) =>
      (request: Http.IncomingMessage, response: Http.ServerResponse): void =>
        connections
          .get(request.socket)
          ?.accept(new Exchange.Exchange(request, response, awaitsContinue))
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

    const stop = Effect.gen(function* () {
      isStopping = true
      yield* Effect.sleep(options.prestop)
      isDraining = true
      yield* Drain.run(server, connections, options)
      close()
      yield* Drain.atMost(runner.interrupt, "100 millis")
    })
    const close = () => {
      Http.Server.prototype.close.call(server)
      for (const socket of connections.keys()) socket.destroy()
    }

    const start = Effect.suspend(() => (server.listening ? Effect.void : listen(server, options)))
    yield* Effect.addFinalizer(() => Effect.sync(close))
    if (options.listensEarly) yield* start
    return HttpListener.of({
      get url() {
        return boundAddress(server, options).url
      },
      get host() {
        return boundAddress(server, options).host
      },
      serve: (next) =>
        Effect.acquireRelease(
          Effect.suspend(() => {
            if (isServing) return Effect.dieMessage("this listener serves already")
            isServing = true
            handler = around(next)
            return Effect.void
          }),
          () => stop
        ).pipe(Effect.zipRight(start)),
      isStopping: () => isStopping,
      load: () => ({ connections: connections.size, inFlight: counts.inFlight, shed, cut: cuts })
    })
  })
