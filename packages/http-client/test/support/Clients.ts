/** A service in memory behind a proxy that forwards requests or does something worse, and its clients. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { createPetStore, type Options, type PetStore } from "@petstore/http-client"
import { createFakePetStore, type FakeOptions } from "@petstore/http-client/testing"
import { onTestFinished, vi } from "vitest"

/** The keys that the service accepts. */
export const keys = { all: "key-of-all", read: "key-to-read" }

/** What happens to one request. */
export type Fault = (exchange: {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Lets the service handle the request. */
  readonly forward: () => Promise<Response>
}) => void | Promise<void>

/** Starts both for the running test. Each request meets the next fault; without any left, it is forwarded. */
export const startProxy = async (faults: ReadonlyArray<Fault> = [], options: FakeOptions = {}) => {
  const requests: Array<IncomingMessage> = []
  const { baseUrl, fetch } = createFakePetStore({
    apiKeys: { [keys.all]: ["pets:read", "pets:write"], [keys.read]: ["pets:read"] },
    ...options
  })
  const server = createServer(async (request, response) => {
    const fault = faults[requests.length] ?? pass
    requests.push(request)
    const { method = "", url = "" } = request
    const body = (await text(request)) || null
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const forward = () =>
      fetch(new URL(url, baseUrl), { method, headers: Object.fromEntries(headers), body })
    await fault({ request, response, forward })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Sends the answer of the service. */
export const pass: Fault = async ({ forward, response }) => {
  const answer = await forward()
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
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
export const cut: Fault = async ({ forward, request, response }) => {
  const answer = await forward()
  const body = Buffer.from(await answer.text())
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.write(body.subarray(0, body.length / 2), () => request.socket.destroy())
}

/** As `cut`, but the answer does not tell its length in advance. */
export const cutChunks: Fault = (exchange) =>
  cut({
    ...exchange,
    forward: async () => {
      const answer = await exchange.forward()
      answer.headers.delete("content-length")
      return answer
    }
  })

/** Makes a client with a key of the service, and jitter that hardly waits. */
export const open = (options: Partial<Options>): PetStore["pets"] => {
  // Here, as vitest restores mocks after each file.
  vi.spyOn(Math, "random").mockReturnValue(0.02)
  return createPetStore({ baseUrl: "http://127.0.0.1:1", apiKey: keys.all, ...options }).pets
}

/** What a promise rejects with. */
export const failure = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("expected a failure")
}

/** All items of an iterable. */
export const collect = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const collected: Array<A> = []
  for await (const item of items) collected.push(item)
  return collected
}
