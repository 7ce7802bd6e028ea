/** A client that sends exactly the given bytes. */
import * as Net from "node:net"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import { Effect } from "effect"
import { type Operation, operationOf, type Request, render } from "./Request.ts"
import { parse, type Response } from "./Response.ts"

/** How long to wait for the server before a test fails: far longer than any machine needs, but less than a test has. */
const patience = 40_000

/** One connection to the server. */
export interface Connection {
  /** Hands the bytes to the socket. */
  readonly send: (...parts: ReadonlyArray<string | Uint8Array>) => Effect.Effect<void>
  /** Hands the bytes to the socket and waits until the system has taken all of them. */
  readonly flush: (bytes: Uint8Array) => Effect.Effect<void>
  /** The next response, which must be one that the contract promises for the operation. */
  readonly receive: (operation?: Operation) => Effect.Effect<Response>
  /** Sends a request and gives its response. */
  readonly ask: (request: Request) => Effect.Effect<Response>
  /** Waits until the server has begun to answer, be it only by `100 Continue`. */
  readonly continued: Effect.Effect<void>
  /** Waits until the server has closed the connection, and returns what was sent but not received. */
  readonly closed: Effect.Effect<{ readonly rest: string; readonly reset: boolean }>
  /** Sends no more, but keeps reading. */
  readonly halfClose: Effect.Effect<void>
  /** Stops or resumes reading. */
  readonly reading: (on: boolean) => Effect.Effect<void>
  /** Reads one piece of at most 64 KiB, and then stops reading. */
  readonly readPiece: Effect.Effect<void>
  /** Disconnects without notice. */
  readonly vanish: Effect.Effect<void>
}

/** Fails when a response is not one that its operation promises. */
export type Check = (response: Response, operation?: Operation) => void

/** Clients whose responses are checked by this. */
export const make = (check: Check) => {
  /** Opens a connection to the server under test, for as long as the scope is open. */
  const connect = Effect.gen(function* () {
    const { url } = yield* HttpListener.HttpListener
    const socket = yield* Effect.acquireRelease(open(new URL(url)), (socket) =>
      Effect.sync(() => socket.destroy())
    )
    return connectionOf(socket, check)
  })

  /** Sends one request on a connection of its own and gives its response. */
  const exchange = (request: Request) =>
    Effect.scoped(Effect.flatMap(connect, ({ ask }) => ask(request)))

  return { connect, exchange }
}

/** Whether a connection to the server can still be opened. */
export const isListening = (url: string): Effect.Effect<boolean> =>
  open(new URL(url)).pipe(
    Effect.tap((socket) => Effect.sync(() => socket.destroy())),
    Effect.as(true),
    Effect.catchAllDefect(() => Effect.succeed(false))
  )

const open = ({ hostname, port }: URL) =>
  Effect.async<Net.Socket>((resume) => {
    const socket = Net.connect({ host: hostname, port: Number(port) })
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.once("error", (error) => resume(Effect.die(error)))
  })

const connectionOf = (socket: Net.Socket, check: Check): Connection => {
  let received = Buffer.alloc(0)
  let over: { readonly reset: boolean } | undefined
  socket.setNoDelay(true)
  socket.on("data", (chunk) => {
    received = append(received, chunk)
  })
  socket.on("end", () => {
    over ??= { reset: false }
  })
  socket.on("error", () => {
    over ??= { reset: true }
  })
  socket.on("close", () => {
    over ??= { reset: false }
  })

  /** Looks again whenever something happened, in real time whatever the test's clock says. */
  const until = <A>(what: string, look: () => A | undefined): Effect.Effect<A> =>
    Effect.async<A>((resume) => {
      const events = ["data", "end", "error", "close"]
      const stop = () => {
        clearTimeout(timer)
        for (const event of events) socket.off(event, attempt)
      }
      const attempt = () => {
        try {
          const found = look()
          if (found === undefined) return
          resume(Effect.succeed(found))
        } catch (error) {
          resume(Effect.die(error))
        }
        stop()
      }
      const timer = setTimeout(() => {
        stop()
        resume(Effect.die(new Error(`waited too long for ${what}; have: ${excerpt(received)}`)))
      }, patience)
      for (const event of events) socket.on(event, attempt)
      attempt()
      return Effect.sync(stop)
    })

  const send: Connection["send"] = (...parts) =>
    Effect.sync(() => {
      for (const part of parts) socket.write(part)
    })
  const receive: Connection["receive"] = (operation) =>
    until("a response", () => {
      const parsed = parse(received, operation?.method === "HEAD")
      if (parsed === undefined) {
        if (over === undefined) return undefined
        throw new Error(`closed (reset: ${over.reset}) after ${excerpt(received)}`)
      }
      received = received.subarray(parsed.end)
      check(parsed.response, operation)
      return parsed.response
    })

  return {
    send,
    receive,
    ask: (request) => Effect.zipRight(send(render(request)), receive(operationOf(request))),
    flush: (bytes) => Effect.async((resume) => void socket.write(bytes, () => resume(Effect.void))),
    continued: until("the beginning of an answer", () =>
      received.length > 0 ? true : undefined
    ).pipe(Effect.asVoid),
    closed: Effect.map(
      until("the end of the connection", () => over),
      ({ reset }) => ({ rest: received.toString("latin1"), reset })
    ),
    halfClose: Effect.sync(() => void socket.end()),
    reading: (on) => Effect.sync(() => void (on ? socket.resume() : socket.pause())),
    readPiece: Effect.async((resume) => {
      socket.once("data", () => {
        socket.pause()
        resume(Effect.void)
      })
      socket.resume()
    }),
    vanish: Effect.sync(() => void socket.resetAndDestroy())
  }
}

/** Appends in place while there is room, then doubles it: copying all for each chunk takes seconds for large answers. */
const append = (bytes: Buffer<ArrayBuffer>, chunk: Buffer): Buffer<ArrayBuffer> => {
  const length = bytes.length + chunk.length
  if (bytes.byteOffset + length > bytes.buffer.byteLength) {
    const larger = Buffer.alloc(2 * length)
    bytes.copy(larger)
    return append(larger.subarray(0, bytes.length), chunk)
  }
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, length)
  chunk.copy(whole, bytes.length)
  return whole
}

const excerpt = (bytes: Buffer): string => JSON.stringify(bytes.toString("latin1", 0, 500))
