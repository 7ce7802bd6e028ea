/** A proxy that forwards requests, or does something worse. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { onTestFinished } from "vitest"

/** What happens to one request. */
export type Fault = (exchange: {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Lets the service handle the request. */
  readonly forward: () => Promise<Response>
}) => void | Promise<void>

/** The service behind a proxy. */
export type Upstream = (path: string, init: RequestInit) => Promise<Response>

/** Starts a proxy for the running test. Each request meets the next fault; without any left, it is forwarded. */
export const startProxy = async (upstream: Upstream | string, faults: Array<Fault> = []) => {
  const requests: Array<IncomingMessage> = []
  const ask: Upstream =
    typeof upstream === "string" ? (path, init) => fetch(upstream + path, init) : upstream
  const server = createServer(async (request, response) => {
    requests.push(request)
    const body = await text(request)
    const { authorization = "", "content-type": type, "idempotency-key": key } = request.headers
    const forward = () =>
      ask(request.url ?? "", {
        method: request.method ?? "",
        headers: {
          authorization,
          ...(type !== undefined && { "content-type": type }),
          ...(typeof key === "string" && { "idempotency-key": key })
        },
        ...(body !== "" && { body })
      })
    await (faults.shift() ?? pass)({ request, response, forward })
  })
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const die = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
  onTestFinished(() => (server.listening ? die() : undefined))
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Stops listening and closes all connections. */
    die,
    /** Listens again, on the same port. */
    comeBack: () => listen(port)
  }
}

/** Sends the answer of the service. */
export const pass: Fault = async ({ forward, response }) => {
  const answer = await forward()
  response.writeHead(answer.status, headersOf(answer)).end(await answer.text())
}

/** Sends another answer; the service does not see the request. */
export const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Fault =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body)

/** Sends an error of the contract. */
export const refuse = (status: number, code: string, headers?: Record<string, string>): Fault =>
  answer(status, JSON.stringify({ code, message: "as you wish", status }), headers)

/** Closes the connection; the service does not see the request. */
export const hangUp: Fault = ({ request }) => void request.socket.destroy()

/** Lets the service answer, and closes the connection in the middle of the body. */
export const cut: Fault = (exchange) =>
  cutBody(exchange, (length) => ({ "content-length": length }))

/** As `cut`, but the answer does not tell its length in advance. */
export const cutChunks: Fault = (exchange) => cutBody(exchange, () => ({}))

const cutBody = async (
  { forward, request, response }: Parameters<Fault>[0],
  framing: (length: number) => Record<string, number>
) => {
  const answer = await forward()
  const body = Buffer.from(await answer.text())
  response.writeHead(answer.status, { ...headersOf(answer), ...framing(body.length) })
  response.write(body.subarray(0, body.length / 2), () => request.socket.destroy())
}

/** Never answers. */
export const stall: Fault = () => {}

const headersOf = ({ headers }: Response): Record<string, string> => {
  const names = ["content-type", "link", "x-request-id", "deprecation", "sunset"]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    })
  )
}
