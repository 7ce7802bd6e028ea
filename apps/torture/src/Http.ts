/** Requests and responses with small bodies. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"
import type { Server } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A request. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly headers?: IncomingHttpHeaders
  readonly body?: Buffer | string
}

/** A response. */
export interface Response {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const timeout = 30_000

/** Connections that are kept for more requests, but not until the server closes them: a request could meet its end. */
const agent = new Agent({ keepAlive: true, timeout: 2000 })

/** Sends a request to a port of this machine. Rejects if the connection fails. */
export const send = (port: number, { body, headers = {}, ...head }: Request): Promise<Response> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    const options = { ...head, headers: { ...headers, ...length }, agent, timeout }
    const sent = request({ ...options, host: "127.0.0.1", port }, (got) =>
      bodyOf(got).then(
        (body) => resolve({ status: got.statusCode ?? 0, headers: got.headers, body }),
        reject
      )
    )
    sent.once("timeout", () => sent.destroy(new Error("no response in time")))
    sent.once("error", reject)
    sent.end(body)
  })

/** Reads the whole body of a message. */
export const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Lets a server listen until the scope closes, on a free port, which it returns. */
export const listen = (
  server: Server & { readonly closeAllConnections?: () => void }
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections?.()
      })
  )
