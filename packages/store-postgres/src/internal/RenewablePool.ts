/** A pool whose connections go to the right host, and can be replaced all at once when they go to the wrong one. */
import { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import pg from "pg"
import type { Settings } from "./Settings.ts"

/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** Finds the right host. */
export interface Route {
  /** Calls back with its address, or with none if it is not found within these milliseconds. */
  readonly locate: (patience: number, callback: (address: Address | undefined) => void) => void
  /** Why it is not found. */
  readonly problem: () => Error
}

/** Where connections go if not to the host of the URL, and what happens when a host is lost. */
export interface Routing {
  readonly route?: Route
  /** Called when a connection is lost that is not in use. */
  readonly onLost?: () => void
  /** Gets a function that closes all connections; what they do fails. */
  readonly drops?: Set<() => void>
  /** Whether to send a statement of a connection before the one before it is answered. */
  readonly pipeline?: boolean
}

/** Connections that were made since the last replacement. */
export interface Generation {
  readonly pool: pg.Pool
  readonly sockets: ReadonlySet<Socket>
  readonly since: number
}

const maxClosing = 1000
/** Connections that are younger are not replaced: a server that stays read only would get new ones for each write. */
const minAge = 1000

/** Opens a pool; connections are made when they are needed, to the host of the URL without a route. */
export const make = (
  settings: Settings,
  { drops = new Set(), onLost = () => {}, pipeline = false, route }: Routing
) =>
  Effect.gen(function* () {
    const Client = route ? clientFor(route, settings.connectionTimeoutMillis) : pg.Client
    const generations = new Set<Generation>()
    let opened = 0
    const open = (): Generation => {
      const sockets = new Set<Socket>()
      const stream = () => {
        const socket = new Socket()
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        // One that was destroyed before it was used connects nevertheless.
        return socket.on("connect", () => sockets.add(socket))
      }
      const pool = new pg.Pool({ ...settings, pipeline, stream, Client })
      // A connection that fails while it is idle is removed by the pool; without a listener the process ends.
      pool.on("error", onLost)
      pool.on("connect", (client) => {
        opened++
        // Of one that fails in use, the statement that runs fails.
        client.on("error", () => {})
      })
      const generation = { pool, sockets, since: performance.now() }
      generations.add(generation)
      return generation
    }
    let current = open()
    /** Operations that wait for a connection get one, or their time is up. */
    const retire = (old: Generation) =>
      setTimeout(() => {
        if (!old.pool.ending) old.pool.end(() => generations.delete(old))
      }, settings.connectionTimeoutMillis).unref()
    const renew = () => {
      const old = current
      current = open()
      retire(old)
    }
    const drop = () => {
      // Also those that were replaced and are still in use.
      for (const { sockets } of generations) for (const socket of sockets) socket.destroy()
      renew()
    }
    drops.add(drop)
    yield* Effect.addFinalizer(() => {
      drops.delete(drop)
      return Effect.forEach(generations, close, { concurrency: "unbounded", discard: true })
    })
    return {
      current: () => current,
      /** Uses these connections for what they do at present only. Returns whether there are other ones now. */
      leave: (used: Generation) => {
        if (used === current && performance.now() - used.since > minAge) renew()
        return used !== current
      },
      /** How many connections were made. */
      opened: () => opened
    }
  })

/** Waits for statements that still run and for the end of connections, but not for a server that does not answer. */
const close = ({ pool, sockets }: Generation) =>
  Effect.promise(async () => {
    if (!pool.ending) await pool.end()
    await Promise.all(
      Array.from(sockets, (socket) => new Promise((resolve) => socket.once("close", resolve)))
    )
  }).pipe(
    Effect.interruptible,
    Effect.timeoutOption(maxClosing),
    // In a fiber of its own: an interruption that is pending would end it at once, and what was done would count as undone.
    Effect.forkDaemon,
    Effect.flatMap(Fiber.join),
    Effect.andThen(() => {
      for (const socket of sockets) socket.destroy()
    })
  )

type Connected = (error: Error) => void

/** The driver's class of a connection, which asks for the address first. */
const clientFor = ({ locate, problem }: Route, patience: number): typeof pg.Client =>
  class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(connected: Connected): void
    override connect(connected?: Connected) {
      if (connected === undefined) return super.connect()
      return locate(patience, (address) => {
        if (address === undefined) connected(problem())
        else {
          Object.assign(this, address)
          super.connect(connected)
        }
      })
    }
  }
