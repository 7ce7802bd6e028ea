/** A pool of connections. Every wait is bounded, and a connection that has failed is replaced. */
import type { Socket } from "node:net"
import * as Direct from "@petstore/direct/Direct"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import pg from "pg"
import type { Options } from "./ConnectionOptions.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as Settings from "./Settings.ts"
import type { Statement } from "./Statement.ts"

type Row = ReadonlyArray<unknown>
type Rows<R extends Row> = ReadonlyArray<R>

/** Runs a statement and returns its rows, as arrays. */
export type Query = <R extends Row>(
  statement: Statement,
  ...values: ReadonlyArray<unknown>
) => Effect.Effect<Rows<R>, StoreUnavailable>

/** Runs a statement and calls back with its rows, as arrays. */
export type Send = <R extends Row>(
  statement: Statement,
  values: ReadonlyArray<unknown>,
  callback: Direct.Callback<Rows<R>, StoreUnavailable>
) => void

/** The operations of a pool. */
export interface ConnectionPool {
  /** How long an operation waits for a connection, in milliseconds. */
  readonly patience: number
  /** Runs a statement in a transaction of its own. It is retried after a conflict. */
  readonly send: Send
  /** As `send`, as an effect. An interruption does not wait for the statement. */
  readonly query: Query
  /** Commits what the body does, or nothing if it fails. It is retried after a conflict. */
  readonly transaction: <A, E>(
    body: (query: Query) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | StoreUnavailable>
}

const maxClosing = 1000
/** How many times a statement or a transaction is retried after a conflict. */
export const maxRetries = 20

/** Opens a pool; connections are made when they are needed. */
export const make = (
  options: Options
): Effect.Effect<ConnectionPool, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const settings = yield* Effect.try({
      try: () => Settings.make(options, sockets),
      // Not with the error itself, which may have the URL and so the password.
      catch: (error) =>
        PostgresFailure.from(
          new Error(
            `the URL of the database is invalid: ${error instanceof Error && error.message}`
          )
        )
    })
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new pg.Pool(settings)),
      (pool) => close(pool, sockets)
    )
    // A connection that fails while it is idle is removed by the pool; without a listener the process ends.
    pool.on("error", ignore)

    const send = retried(sendOn(pool))
    const transaction: ConnectionPool["transaction"] = (body) =>
      Effect.acquireUseRelease(
        connect(pool),
        (client) => {
          const run = queryOf(sendOn(client))
          return run(begin).pipe(
            Effect.zipRight(body(run)),
            Effect.zipLeft(Effect.uninterruptible(run("COMMIT")))
          )
        },
        (client, exit) => release(client, Exit.isFailure(exit))
      ).pipe(
        Effect.retry({ times: maxRetries, while: (error) => PostgresFailure.isConflict(error) })
      )

    return { patience: settings.connectionTimeoutMillis, send, query: queryOf(send), transaction }
  })

/** Opens one connection, for statements that may take longer than those of requests. */
export const makePatient = (options: Options) =>
  make({ ...options, maxConnections: 1, statementTimeout: "10 minutes" })

/** Each statement sees what was committed before it, so one after a lock sees what its last holder did. */
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

/** Takes a connection from the pool. Uninterruptible in use, but not for longer than the timeout. */
const connect = (pool: pg.Pool) =>
  Effect.async<pg.PoolClient, StoreUnavailable>((resume) =>
    pool.connect((error, client) => {
      // The statement that runs fails, too; without a listener the process ends.
      client?.on("error", ignore)
      resume(client ? Effect.succeed(client) : Effect.fail(PostgresFailure.from(error)))
    })
  )

const release = (client: pg.PoolClient, isBroken: boolean) =>
  Effect.sync(() => {
    client.off("error", ignore)
    client.release(isBroken)
  })

const ignore = () => {}

/** Sends statements on one connection, or each on a free one of a pool. */
const sendOn =
  (connection: Pick<pg.ClientBase, "query">): Send =>
  <R extends Row>(
    statement: Statement,
    values: ReadonlyArray<unknown>,
    callback: Direct.Callback<Rows<R>, StoreUnavailable>
  ) => {
    const prepared = typeof statement === "string" ? { text: statement } : statement
    // A new object for each use: the driver writes to it.
    const config = { ...prepared, values: [...values], rowMode: "array" }
    connection.query<R>(config, (error: unknown, result) =>
      callback(error ? Exit.fail(PostgresFailure.from(error)) : Exit.succeed(result.rows))
    )
  }

/** Sends a statement again after a conflict with another transaction. */
const retried = (send: Send): Send => {
  const attempt = <R extends Row>(
    tries: number,
    ...[statement, values, callback]: Parameters<typeof send<R>>
  ): void =>
    send<R>(statement, values, (exit) => {
      const isConflict = Direct.isFailureWith(exit, PostgresFailure.isConflict)
      if (isConflict && tries < maxRetries) attempt(tries + 1, statement, values, callback)
      else callback(exit)
    })
  return (...query) => attempt(0, ...query)
}

const queryOf =
  (send: Send): Query =>
  <R extends Row>(statement: Statement, ...values: ReadonlyArray<unknown>) =>
    Direct.async<Rows<R>, StoreUnavailable>((callback) => {
      send<R>(statement, values, callback)
      return () => {}
    })

/** Waits for statements that still run and for the end of connections, but not for a server that does not answer. */
const close = (pool: pg.Pool, sockets: ReadonlySet<Socket>) =>
  Effect.promise(async () => {
    await pool.end()
    await Promise.all(
      Array.from(sockets, (socket) => new Promise((resolve) => socket.once("close", resolve)))
    )
  }).pipe(
    Effect.interruptible,
    Effect.timeoutOption(maxClosing),
    Effect.andThen(() => {
      for (const socket of sockets) socket.destroy()
    })
  )
