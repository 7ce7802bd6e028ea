/** One connection: its requests are handled one at a time, in the order of their arrival. */
import type { Socket } from "node:net"
import * as Exchange from "../exchange/Exchange.ts"
import type { Reply } from "../exchange/Reply.ts"
import * as MalformedRequest from "./MalformedRequest.ts"

/** What connections share. */
export interface Shared {
  /** Handles a request; `reply` may be called later, but once only. */
  readonly handle: (exchange: Exchange.Exchange, reply: (reply: Reply) => void) => void
  /** Whether the answer to its last request closes a connection: the service is stopping, or has too many. */
  readonly closesWhenIdle: () => boolean
  /** Called with every answer when it is sent, or when its caller disconnects before. */
  readonly onAnswer: (exchange: Exchange.Exchange, reply: Reply) => void
  /** Totals of all connections. */
  readonly counts: Counts
  /** Closes a connection without an answer, for this reason. */
  readonly cut: (socket: Socket, why: string) => void
  /** How many milliseconds a connection may accept nothing of its answer. */
  readonly sendTimeout: number
}

/** Totals of all connections. */
export interface Counts {
  /** How many requests are being handled. */
  inFlight: number
  /** The bytes of requests that wait for others before them. */
  queuedBytes: number
  /** The bytes of answers that wait to be sent. */
  unsentBytes: number
}

/** One connection. */
export type Connection = ReturnType<typeof make>

/** Serves the requests of this socket. */
export const make = (socket: Socket, shared: Shared) => {
  const { closesWhenIdle, counts, cut, handle, onAnswer, sendTimeout } = shared
  let current: Exchange.Exchange | undefined
  /** Requests that were read together with the current one; no more is read while there are any. */
  let queue: Array<Exchange.Exchange> = []
  let isReading = true
  /** How many bytes of the current answer are counted as unsent. */
  let unsent = 0
  /** Nothing that follows is handled: the current answer closes the connection. */
  let isClosing = false

  const stopReading = () => {
    isReading = false
    socket.pause()
    // Node may have resumed the handle of a stream that is paused; then pause() emits nothing.
    socket.emit("pause")
  }
  const startReading = () => {
    isReading = true
    socket.resume()
  }
  const clearQueue = () => {
    for (const exchange of queue) {
      counts.queuedBytes -= bytesOf(exchange)
      forget(exchange)
    }
    queue = []
  }
  const stop = () => {
    isClosing = true
    clearQueue()
  }

  const accept = (exchange: Exchange.Exchange) => {
    // After the last answer everything is read and discarded; before it, nothing more.
    if (socket.writableEnded || socket.destroyed) return forget(exchange)
    if (isClosing) {
      forget(exchange)
      return stopReading()
    }
    if (current === undefined && queue.length === 0) return start(exchange)
    // Node would parse, and keep, all that it has read; only closing the connection stops it.
    if (queue.length >= alwaysQueued && counts.queuedBytes >= maxQueuedBytes) {
      cut(socket, "too many requests waited on it")
      clearQueue()
      return forget(exchange)
    }
    queue.push(exchange)
    counts.queuedBytes += bytesOf(exchange)
    stopReading()
  }
  const start = (exchange: Exchange.Exchange) => {
    current = exchange
    counts.inFlight++
    const { response } = exchange
    if (response.socket === null) response.assignSocket(socket)
    response.once("close", () => finish(exchange))
    const refusal = exchange.refusal ?? MalformedRequest.fromHead(exchange)
    if (refusal === undefined) handle(exchange, (reply) => send(exchange, reply, false))
    else send(exchange, refusal, true)
  }
  const send = (exchange: Exchange.Exchange, reply: Reply, isLast: boolean) => {
    const { response } = exchange
    // The caller is gone, or its request was refused in the meantime.
    if (response.headersSent || response.destroyed || socket.destroyed) return
    const closes = isLast || (queue.length === 0 && closesWhenIdle()) || Exchange.isLast(exchange)
    if (closes) stop()
    Exchange.send(exchange, reply, closes)
    answered(exchange, reply)
    if (socket.writableLength === 0) return
    unsent = headBytes + bytesHeldBy(reply)
    counts.unsentBytes += unsent
    // Node restarts the time whenever the system accepts something.
    socket.setTimeout(sendTimeout)
  }
  const answered = (exchange: Exchange.Exchange, reply: Reply) => {
    counts.inFlight--
    onAnswer(exchange, reply)
  }
  const finish = (exchange: Exchange.Exchange) => {
    if (!exchange.response.headersSent) answered(exchange, abandoned)
    current = undefined
    counts.unsentBytes -= unsent
    unsent = 0
    // Other connections have their turn before the next request of this one.
    if (queue.length > 0) setImmediate(startNext)
  }
  const startNext = () => {
    const next = queue.shift()
    // The connection was closed in the meantime.
    if (next === undefined) return
    counts.queuedBytes -= bytesOf(next)
    if (socket.destroyed) return
    if (queue.length === 0) startReading()
    start(next)
  }

  /** The rest of the current request is malformed: it gets one answer, whichever comes first. */
  const refuseRest = (exchange: Exchange.Exchange, refusal: Reply) => {
    const { response } = exchange
    if (!response.headersSent) return send(exchange, refusal, true)
    stop()
    response.once("finish", () => socket.destroySoon())
    response.end()
  }
  const refuse = (refusal: Reply) => {
    const latest = queue.at(-1) ?? current
    if (latest === undefined || latest.request.complete) {
      if (!isClosing) accept(Exchange.fromSocket(socket, refusal))
    } else if (latest.refusal === undefined) {
      latest.refusal = refusal
      if (latest === current) refuseRest(latest, refusal)
    }
  }

  // Node resumes reading after every request, and with every body.
  socket.on("resume", () => {
    if (!isReading) stopReading()
  })
  // Node calls this after an answer that closes the connection, for any reason.
  socket.destroySoon = () => {
    stop()
    startReading()
    closeGently(socket)
  }
  // Without a listener an error ends the process; the socket closes by itself.
  socket.on("error", () => {})
  socket.once("close", clearQueue)

  const isBusy = () => queue.length > 0 || (current !== undefined && Exchange.isOwed(current))

  return {
    /** Handles a request once all requests before it have been answered. */
    accept,
    /** Answers bytes that are not a request, or a request whose rest is malformed or late. */
    refuse,
    /** Whether a request was received whose answer is not sent yet. */
    isBusy,
    /** Closes a connection on which nothing has moved for too long, unless its caller waits for us. */
    closeIfStill: () => {
      const { bytesRead, writableLength } = socket
      // The process may have been blocked: what arrived meanwhile is read first.
      setImmediate(() => {
        if (socket.bytesRead !== bytesRead || socket.writableLength !== writableLength) return
        if (writableLength > 0) cut(socket, "its caller did not read the response")
        else if (!isBusy()) socket.destroy()
      })
    },
    /** Answers the current request with this, unless it was answered; drops those that follow it. */
    giveUp: (refusal: Reply) => {
      stop()
      if (current === undefined || current.response.headersSent) return
      current.refusal = refusal
      send(current, refusal, true)
    }
  }
}

/** Stands for the answer that a caller did not wait for, as in the logs of other servers. */
const abandoned: Reply = { status: 499, headers: [] }

const bytesHeldBy = ({ body }: Reply): number =>
  body === undefined || body.isKept === true ? 0 : body.bytes

/** How much may wait behind other requests, and how many requests of one connection in any case. */
const maxQueuedBytes = 50_331_648
const alwaysQueued = 2

/** Roughly what Node keeps of a request that waits. */
const bytesOf = ({ request }: Exchange.Exchange): number => 1024 + 64 * request.rawHeaders.length

/** Frees what a request holds that is not handled: Node keeps it until the connection is closed, which may be many later. */
const forget = ({ request }: Exchange.Exchange): void => {
  request.headers = {}
  request.rawHeaders = []
}

/** Roughly the head of an answer. */
const headBytes = 512

/** How long a connection that is being closed may go on sending, and how long it may be idle. */
const lingerMillis = 30_000
const silenceMillis = 2000

/**
 * Closes a connection so that its caller gets the last answer: closing a socket with unread input
 * resets it, so what still arrives is read and discarded for a while.
 */
const closeGently = (socket: Socket): void => {
  if (socket.writableEnded) return
  socket.end()
  // Node has removed its own listener if the caller sent CONNECT.
  socket.setTimeout(silenceMillis, () => socket.destroy())
  // Node's parser reads from the socket directly, until there is a listener for its data.
  setImmediate(() => socket.removeAllListeners("data").on("data", () => {}))
  const timer = setTimeout(() => socket.destroy(), lingerMillis)
  socket.once("close", () => clearTimeout(timer))
}
