/** Databases with several hosts in their URLs, and commands that are interrupted while they use them. */
import { Socket } from "node:net"
import * as Listener from "@petstore/local-postgres/support/Listener"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import { Effect } from "effect"
import { interruptedBy } from "./Interrupting.ts"
import type { Options } from "./Program.ts"

/** The same database at these ports. */
export const at = (url: string, ...ports: ReadonlyArray<number>): string =>
  url.replace(/@[^/]*/, `@${ports.map((port) => `127.0.0.1:${port}`).join()}`)

/** The URL of a new database with two hosts: nothing listens at the port of the first one. */
export const hosts = Effect.map(SharedPostgres.database, (url) => at(url, 1, SharedPostgres.port()))

/** A database with two hosts, one of which never answers. */
export const silent = Effect.gen(function* () {
  const url = yield* SharedPostgres.database
  const good = yield* StallingProxy.make(SharedPostgres.port())
  const bad = yield* StallingProxy.make(SharedPostgres.port())
  bad.stall()
  return {
    database: at(url, good.port, bad.port),
    /** What the other one was sent. */
    sent: good.sent,
    /** Waits until both were asked. */
    asked: async () => {
      while (!good.sent().includes("petstore_role") || bad.connections() === 0) {
        await new Promise((go) => setTimeout(go, 5))
      }
    }
  }
})

/** Without what is logged about hosts. */
export const unlogged = (stderr: string): string =>
  stderr.replace(/^timestamp=.* level=WARN .*\n/gm, "")

/** Interrupts a command when it sends something to a server for the nth time; tells whether it sent that often. */
export const interruptedAtSend = (
  path: string,
  words: ReadonlyArray<string>,
  options: Options,
  wanted: number
) =>
  Effect.gen(function* () {
    let count = 0
    const watch = (interrupt: () => void) => {
      const { write } = Socket.prototype
      const counted = function (this: Socket, ...values: Parameters<typeof write>) {
        // After this turn: what was to be sent is sent.
        if (++count === wanted) setImmediate(interrupt)
        return write.apply(this, values)
      }
      Object.assign(Socket.prototype, { write: counted })
      return () => Object.assign(Socket.prototype, { write })
    }
    const result = yield* interruptedBy(path, words, watch, options)
    return { ...result, isInterrupted: count >= wanted }
  })

/** What PostgreSQL sends while it starts. */
const starting = (() => {
  const fields = "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, Buffer.from(fields)])
})()

/** The port of a server that is starting until a second after it was asked first. */
export const startingProxy = (to: number) => {
  let ready: number | undefined
  return Listener.make((caller) => {
    caller.on("error", () => {})
    ready ??= performance.now() + 1000
    return performance.now() < ready
      ? caller.once("data", () => caller.end(starting))
      : Listener.forward(caller, to)
  })
}
