/** Lets a server of Node listen. */
import { createServer, type RequestListener, type Server } from "node:http"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

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

/** Where to listen. */
export interface Address {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The file descriptor of a socket that listens already, instead. */
  readonly fd?: number | undefined
  /** Whether other processes may listen on the port, too. The kernel spreads connections among those that do. */
  readonly reusePort?: boolean
}

/** Where a server listens. */
export interface BoundAddress {
  /** The URL by which callers on this machine reach it. */
  readonly url: string
  /** The address, such as `0.0.0.0` for all. */
  readonly host: string
}

/** Listens. */
export const listen = (
  server: Server,
  { fd, host, port, reusePort = false }: Address
): Effect.Effect<void, ListenFailed> =>
  Effect.async((resume) => {
    server.on("error", (cause) => resume(Effect.fail(new ListenFailed({ host, port, cause }))))
    server.listen(fd === undefined ? { host, port, reusePort } : { fd }, () => resume(Effect.void))
  })

/** Where it listens, or will listen. */
export const boundAddress = (
  server: Server,
  { host: name, port: wanted }: Address
): BoundAddress => {
  const address = server.address()
  const { address: host, port } =
    address === null || typeof address === "string" ? { address: name, port: wanted } : address
  const local = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host
  return { url: `http://${local.includes(":") ? `[${local}]` : local}:${port}`, host }
}

/** Limits for tools, which ask now and then: whatever else calls must not hold up the service. */
const forTools = {
  maxConnections: 16,
  maxRequestsPerSocket: 1,
  maxHeadersCount: 100,
  timeout: 10_000
}
const inTime = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 }

/** Serves the requests of an operator's tools by a plain handler of Node until the scope closes, one on each connection. */
export const serve = (
  address: Address,
  handler: RequestListener
): Effect.Effect<BoundAddress, ListenFailed, Scope.Scope> =>
  Effect.suspend(() => {
    const server = Object.assign(createServer(inTime, handler), forTools)
    const close = Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
    return Effect.acquireRelease(listen(server, address), () => close).pipe(
      Effect.map(() => boundAddress(server, address))
    )
  })
