/** The listening socket: from the first connection to the last answer. */
import * as Http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Immediate from "@petstore/domain/Immediate"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as ClientError from "./ClientError.ts"
import * as Exchange from "./Exchange.ts"
import * as Health from "./Health.ts"
import * as Reply from "./Reply.ts"

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

/** Answers every request with a reply, be it a success or a refusal. */
export type Handler = (exchange: Exchange.Exchange) => Effect.Effect<Reply.Reply, Reply.Reply>

/** A socket that listens, and answers 503 while nobody serves. */
export class HttpListener extends Context.Tag("@petstore/http-server/HttpListener")<
  HttpListener,
  {
    /** Where callers on this machine reach it. */
    readonly url: string
    /** Serves until the scope closes; then lets requests in flight finish and closes the rest. */
    readonly serve: (handler: Handler) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}

/** Listens for as long as the layer lives. */
export const layer = (options: Options): Layer.Layer<HttpListener, ListenFailed> =>
  Layer.scoped(HttpListener, make(options))

const make = (options: Options) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const runFork = Runtime.runFork(runtime)
    /** Each open connection with its latest exchange, if it has had any. */
    const connections = new Map<Socket, Exchange.Exchange | undefined>()
    const running = new Set<Fiber.RuntimeFiber<Reply.Reply, Reply.Reply>>()
    let handler: Handler = Health.starting
    let draining = false

    const onRequest = (
      request: Http.IncomingMessage,
      response: Http.ServerResponse,
      awaitsContinue: boolean
    ) => {
      const previous = connections.get(request.socket)
      const exchange = Exchange.make(request, response, awaitsContinue, previous)
      connections.set(request.socket, exchange)
      const refusal = ClientError.refuseHead(exchange)
      if (refusal !== undefined) return Exchange.send(exchange, refusal, true)
      const answer = (exit: Exit.Exit<Reply.Reply, Reply.Reply>) => {
        const reply = Exit.isSuccess(exit) ? exit.value : refusalOf(exit.cause, exchange)
        if (!response.destroyed) Exchange.send(exchange, reply, draining)
      }
      const effect = handled(exchange)
      const known = Immediate.evaluate(effect)
      if (known !== undefined) return answer(known)
      const fiber = runFork(effect)
      const exit = fiber.unsafePoll()
      if (exit !== null) return answer(exit)
      running.add(fiber)
      const abandon = () => fiber.unsafeInterruptAsFork(fiber.id())
      response.once("close", abandon)
      fiber.addObserver((exit) => {
        running.delete(fiber)
        response.off("close", abandon)
        answer(exit)
      })
    }

    const handled = (exchange: Exchange.Exchange): ReturnType<Handler> => {
      try {
        return handler(exchange)
      } catch (defect) {
        return Exit.die(defect)
      }
    }

    const refusalOf = (cause: Cause.Cause<Reply.Reply>, { requestId }: Exchange.Exchange) => {
      const failure = Cause.failureOption(cause)
      if (failure._tag === "Some") return failure.value
      if (!Cause.isInterruptedOnly(cause)) {
        runFork(
          Effect.logError("a request failed in a way nobody foresaw", cause).pipe(
            Effect.annotateLogs({ requestId })
          )
        )
      }
      return Reply.refuse("internal_error", `something went wrong; tell us the id ${requestId}`)
    }

    const server = Http.createServer({
      headersTimeout: Duration.toMillis(options.headersTimeout),
      requestTimeout: Duration.toMillis(options.requestTimeout),
      keepAliveTimeout: Duration.toMillis(options.keepAliveTimeout),
      maxHeaderSize: options.maxHeaderBytes,
      connectionsCheckingInterval: 1000,
      // Node would answer a missing Host by itself, without a body.
      requireHostHeader: false
    })
    server.on("connection", (socket) => {
      connections.set(socket, undefined)
      socket.once("close", () => connections.delete(socket))
    })
    server.on("request", (request, response) => onRequest(request, response, false))
    server.on("checkContinue", (request, response) => onRequest(request, response, true))
    server.on("checkExpectation", (request, response) => onRequest(request, response, false))
    server.on("connect", (_, socket) => ClientError.refuseConnect(socket))
    server.on("clientError", (error, socket) =>
      ClientError.answer(error, socket, connections.get(socket as Socket))
    )

    const drain = Effect.gen(function* () {
      draining = true
      handler = Health.stopping
      server.close()
      const unfinished: Array<Http.ServerResponse> = []
      for (const [socket, exchange] of connections) {
        if (exchange !== undefined && isInFlight(exchange)) unfinished.push(exchange.response)
        else socket.destroy()
      }
      yield* Effect.forEach(unfinished, closed, { concurrency: "unbounded", discard: true }).pipe(
        Effect.timeoutOption(options.drainTimeout)
      )
      for (const socket of connections.keys()) socket.destroy()
      yield* Fiber.interruptAll(running)
    })

    yield* Effect.acquireRelease(listen(server, options), () => Effect.sync(() => server.close()))
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

const listen = (server: Http.Server, { host, port }: Options) =>
  Effect.async<void, ListenFailed>((resume) => {
    server.once("error", (cause) => resume(Effect.fail(new ListenFailed({ host, port, cause }))))
    server.listen(port, host, () => resume(Effect.void))
  })

const urlOf = (address: AddressInfo | string | null): string => {
  if (address === null || typeof address === "string") return String(address)
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address.address] ?? address.address
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`
}

/** Its request is here as a whole, its answer not yet out. */
const isInFlight = ({ request, response }: Exchange.Exchange): boolean =>
  response.headersSent ? response.writableEnded && !response.writableFinished : request.complete

const closed = (response: Http.ServerResponse) =>
  Effect.async<void>((resume) => {
    if (response.closed) resume(Effect.void)
    else response.once("close", () => resume(Effect.void))
  })
