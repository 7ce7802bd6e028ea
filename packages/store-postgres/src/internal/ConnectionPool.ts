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

/** The operations of a pool. */
export interface ConnectionPool {
  readonly pool: pg.Pool
  /** How long an operation waits for a connection, in milliseconds. */
  readonly patience: number
  /** Runs a statement in a transaction of its own, and calls back with its rows. */
  readonly send: <R extends Row>(
    statement: Statement,
    values: ReadonlyArray<unknown>,
    callback: Direct.Callback<Rows<R>, StoreUnavailable>
  ) => void
  /** As `send`, as an effect. An interruption does not wait for the statement. */
  readonly query: Query
  /**
   * Commits what the body does, or nothing if it fails. It is retried after a conflict.
   */
  readonly transaction: <A, E>(
    body: (query: Query) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | StoreUnavailable>
}

const maxClosing = 1000
/** How many times a transaction is retried after a conflict. */
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
    pool.on("error", () => {})

    const send: ConnectionPool["send"] = <R extends Row>(
      statement: Statement,
      values: ReadonlyArray<unknown>,
      callback: Direct.Callback<Rows<R>, StoreUnavailable>
    ) =>
      pool.query<R>(configOf(statement, values), (error: unknown, result) =>
        callback(error ? Exit.fail(PostgresFailure.from(error)) : Exit.succeed(result.rows))
      )
    const query: Query = <R extends Row>(statement: Statement, ...values: ReadonlyArray<unknown>) =>
      Direct.async<Rows<R>, StoreUnavailable>((callback) => {
        send<R>(statement, values, callback)
        return () => {}
      })

    const transaction: ConnectionPool["transaction"] = (body) =>
      Effect.acquireUseRelease(
        connect(pool),
        ({ client }) => {
          const run = queryOn(client)
          return run(begin).pipe(
            Effect.zipRight(body(run)),
            Effect.zipLeft(Effect.uninterruptible(run(commit)))
          )
        },
        ({ release }, exit) => Effect.sync(() => release(Exit.isFailure(exit)))
      ).pipe(
        Effect.retry({ times: maxRetries, while: (error) => PostgresFailure.isConflict(error) })
      )

    return { pool, patience: settings.connectionTimeoutMillis, send, query, transaction }
  })

/** Each statement sees what was committed before it, so one after a lock sees what its last holder did. */
const begin: Statement = { name: "", text: "BEGIN ISOLATION LEVEL READ COMMITTED" }
const commit: Statement = { name: "", text: "COMMIT" }

/** A new object for each use: the driver writes to it. */
const configOf = (statement: Statement, values: ReadonlyArray<unknown>) => ({
  ...statement,
  values: [...values],
  rowMode: "array" as const
})

/** Takes a connection from the pool. Uninterruptible in use, but not for longer than the timeout. */
const connect = (pool: pg.Pool) =>
  Effect.async<
    { readonly client: pg.PoolClient; readonly release: (isBroken: boolean) => void },
    StoreUnavailable
  >((resume) =>
    pool.connect((error, client) => {
      if (client === undefined) return resume(Effect.fail(PostgresFailure.from(error)))
      // The statement that runs fails, too; without a listener the process ends.
      const ignore = () => {}
      client.on("error", ignore)
      const release = (isBroken: boolean) => {
        client.off("error", ignore)
        client.release(isBroken)
      }
      resume(Effect.succeed({ client, release }))
    })
  )

const queryOn =
  (client: pg.PoolClient): Query =>
  <R extends Row>(statement: Statement, ...values: ReadonlyArray<unknown>) =>
    Effect.async<Rows<R>, StoreUnavailable>((resume) => {
      client.query<R>(configOf(statement, values), (error: unknown, result) =>
        resume(error ? Effect.fail(PostgresFailure.from(error)) : Effect.succeed(result.rows))
      )
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
