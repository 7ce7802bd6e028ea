/** The driver's pool. Its connections are replaced, or closed at once, when they went to the wrong server. */
import { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import pg from "pg"
import type { DriverConfig } from "./DriverConfig.ts"
import type { Hosts } from "./Hosts.ts"

const maxClosing = 1000
/** How long connections are not replaced again: a server that stays read only would get new ones for each write. */
const minAge = 1000

/** Opens a pool, closed with the scope; connections are made when they are needed. */
export const make = (config: DriverConfig, { Client, drops, lose }: Hosts) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const stream = () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.on("close", () => sockets.delete(socket))
    }
    /** Closes all but those that wait for a host to connect to. */
    const drop = () => {
      for (const socket of sockets) if (socket.connecting || !socket.pending) socket.destroy()
    }
    drops.add(drop)
    const pool = new pg.Pool({ ...config, stream, Client })
    let opened = 0
    /** Those that were made since the last replacement. */
    let current = new WeakSet<pg.PoolClient>()
    let since = performance.now()
    pool.on("connect", (client) => {
      opened++
      current.add(client)
      // Of one that fails in use, the statement that runs fails.
      client.on("error", () => {})
    })
    // A connection that fails while it is idle is removed by the pool; without a listener the process ends.
    pool.on("error", () => {})
    /** Waits for statements that still run and for the end of connections, but not for a server that does not answer. */
    const close = Effect.promise(async () => {
      await pool.end()
      const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve))
      await Promise.all(Array.from(sockets, closed))
    }).pipe(
      Effect.interruptible,
      Effect.timeoutOption(maxClosing),
      // In a fiber of its own: an interruption that is pending would end it at once, and what was done would count as undone.
      Effect.forkDaemon,
      Effect.flatMap(Fiber.join),
      Effect.andThen(drop)
    )
    yield* Effect.addFinalizer(() => {
      drops.delete(drop)
      return close
    })

    /** Takes a connection, which is to be given back. */
    const take = (taken: (error: Error | undefined, client?: pg.PoolClient) => void): void =>
      pool.connect((error, client) => {
        if (client === undefined || current.has(client)) return taken(error, client)
        client.release(true)
        take(taken)
      })
    return {
      take,
      /** Gives a connection back, unless it may be of no use. */
      give: (client: pg.PoolClient, isBroken: boolean) =>
        client.release(isBroken || !current.has(client)),
      /** Uses this connection, and all that are as old, for what they do at present only. Returns whether there are others. */
      leave: (client: pg.PoolClient): boolean => {
        if (current.has(client) && performance.now() - since > minAge) {
          current = new WeakSet()
          since = performance.now()
          lose()
        }
        return !current.has(client)
      },
      counts: () => {
        const { idleCount: idle, totalCount, waitingCount: waiting } = pool
        return { used: totalCount - idle, idle, waiting, opened }
      }
    }
  })
