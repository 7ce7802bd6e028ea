/** Connections that are only memory, for tests that run many of them: no system decides about their order. */
import * as Http from "node:http"
import type { Socket } from "node:net"
import { duplexPair } from "node:stream"
import * as Connection from "../../src/internal/connection/Connection.ts"
import * as MalformedRequest from "../../src/internal/connection/MalformedRequest.ts"
import { Exchange } from "../../src/internal/exchange/Exchange.ts"
import { parse } from "./Response.ts"

/** What a caller has received. */
export interface Received {
  /** The request ids of the answers, as far as they are whole, each with its status. */
  readonly answers: ReadonlyArray<string>
  /** How many bytes follow. */
  readonly rest: number
}

/** A server whose requests are handled by this function. */
export const make = (
  options: Pick<Connection.Shared, "handle" | "onAnswer" | "closesWhenIdle">
) => {
  const connections = new Map<Socket, Connection.Connection>()
  const counts = { inFlight: 0, queuedBytes: 0, unsentBytes: 0 }
  const cuts: Array<string> = []
  const cut = (socket: Socket, why: string) => {
    cuts.push(why)
    socket.destroy()
  }
  const shared = { ...options, counts, cut, sendTimeout: 60_000 }
  const server = Http.createServer({ requireHostHeader: false })
  server.on("connection", (socket) => {
    connections.set(socket, Connection.make(socket, shared))
    socket.once("close", () => connections.delete(socket))
  })
  server.on("request", (request, response) =>
    connections.get(request.socket)?.accept(new Exchange(request, response, false))
  )
  server.on("clientError", (error, socket) =>
    connections.get(socket as Socket)?.refuse(MalformedRequest.fromParser(error))
  )

  /** Opens a connection, as its caller sees it. */
  const connect = () => {
    const [caller, socket] = duplexPair()
    const chunks: Array<Buffer> = []
    let hasEnded = false
    caller.on("data", (chunk) => chunks.push(chunk))
    caller.on("end", () => {
      hasEnded = true
    })
    caller.on("error", () => {})
    server.emit("connection", Object.assign(socket, { setTimeout: () => socket }))
    return {
      send: (bytes: Uint8Array) => void (caller.writable && caller.write(bytes)),
      vanish: () => {
        caller.destroy()
        socket.destroy()
      },
      isOpen: () => !socket.destroyed,
      hasEnded: () => hasEnded,
      received: (): Received => {
        let bytes = Buffer.concat(chunks)
        const answers: Array<string> = []
        for (let next = parse(bytes, false); next !== undefined; next = parse(bytes, false)) {
          const { headers, status } = next.response
          const id = headers.find(([name]) => name === "X-Request-Id")?.[1]
          answers.push(`${id} ${status}`)
          bytes = bytes.subarray(next.end)
        }
        return { answers, rest: bytes.length }
      }
    }
  }
  return { connect, connections, counts, cuts, server }
}
