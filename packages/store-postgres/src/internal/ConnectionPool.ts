/** A pool of connections. Every wait is bounded, and a connection that may be of no use is replaced. */
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type pg from "pg"
import type { Options, PoolState } from "./ConnectionOptions.ts"
import * as Connections from "./Connections.ts"
import * as DriverConfig from "./DriverConfig.ts"
import * as Hosts from "./Hosts.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import type { Statement } from "./Statement.ts"

type Row = ReadonlyArray<unknown>
type Rows<R extends Row> = ReadonlyArray<R>

/** Runs a statement and returns its rows, as arrays. */
export type Query<S = Statement> = <R extends Row>(
  statement: S,
  ...values: ReadonlyArray<unknown>
) => Effect.Effect<Rows<R>, StoreUnavailable>

/** Runs a statement and calls back with its rows, as arrays. */
export type Send = <R extends Row>(
  statement: Statement,
  values: ReadonlyArray<unknown>,
  callback: Direct.Callback<Rows<R>, StoreUnavailable>
) => void

type Transaction = <A, E>(
  body: (query: Query) => Effect.Effect<A, E>
) => Effect.Effect<A, E | StoreUnavailable>

/** The operations of a pool. */
export interface ConnectionPool {
  /** How long an operation waits for a connection, in milliseconds. */
  readonly patience: number
  /** Runs a statement in a transaction of its own. It is retried after a conflict. */
  readonly send: Send
  /** As `send`, as an effect. An interruption does not wait for the statement. */
  readonly query: Query
  /** Commits what the body does, or nothing if it fails. It is retried after a conflict. */
  readonly transaction: Transaction
  /** The same, for a body that cannot be run again. */
  readonly once: Transaction
  /** How many connections there are, and what became of them. */
  readonly counts: () => PoolState
}

/** How many times a statement or a transaction is retried after a conflict. */
export const maxRetries = 20

/** Opens a pool to the primary; connections are made when they are needed. */
export const make = (
  hosts: Hosts.Hosts,
  limits: DriverConfig.Limits = {}
): Effect.Effect<ConnectionPool, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const config = yield* PostgresFailure.ofUrl(() => DriverConfig.make(hosts.options, limits))
    const pool = yield* Connections.make(config, hosts)

    /**
     * Sends a statement on a connection, and gives it up if the answer takes too long: the network may have dropped it. The
     * driver's `query_timeout` would do the same, but then V8 keeps what statements have allocated for longer
     * (docs/decisions/0010-postgres.md).
     */
    const sendOn = <R extends Row>(
      client: pg.PoolClient,
      statement: Statement,
      values: ReadonlyArray<unknown>,
      callback: Direct.Callback<Rows<R>, StoreUnavailable>
    ): void => {
      const { answerMillis = config.answerMillis, ...prepared } =
        typeof statement === "string" ? { text: statement } : statement
      const answered = hosts.watch()
      const settle: typeof callback = (exit) => {
        clearTimeout(timer)
        answered()
        callback(exit)
        callback = () => {}
      }
      const giveUp = () => settle(Exit.fail(PostgresFailure.make("down", "no answer in time")))
      const timer = setTimeout(giveUp, answerMillis)
      // A new object for each use: the driver writes to it.
      const query = { ...prepared, values: [...values], rowMode: "array" }
      client.query<R>(query, (error: unknown, result) =>
        settle(error ? Exit.fail(PostgresFailure.from(error)) : Exit.succeed(result.rows))
      )
    }

    let failed = 0
    const noted = <E>(error: E): E => {
      if (PostgresFailure.outcomeOf(error) === "gone") failed++
      return error
    }
    /** Whether to try again: after a conflict, or on another connection if this one went to a standby. */
    const isRepeated = (error: unknown, client: pg.PoolClient | undefined): boolean =>
      PostgresFailure.isConflict(noted(error)) ||
      (PostgresFailure.isReadOnly(error) && client !== undefined && pool.leave(client))
    const attempt = <R extends Row>(tries: number, ...query: Parameters<typeof send<R>>): void => {
      const [statement, values, callback] = query
      pool.take((error, client) => {
        const settle: typeof callback = (exit) => {
          const isAgain = Direct.isFailureWith(exit, (error) => isRepeated(error, client))
          if (client !== undefined) pool.give(client, isBroken(exit))
          if (isAgain && tries < maxRetries) attempt(tries + 1, ...query)
          else callback(exit)
        }
        if (client === undefined) settle(Exit.fail(PostgresFailure.from(error)))
        else sendOn<R>(client, statement, values, settle)
      })
    }
    const send: Send = (...query) => attempt(0, ...query)

    /** Uninterruptible while it waits for a connection, but not for longer than the timeout. */
    const connect = Effect.async<pg.PoolClient, StoreUnavailable>((resume) =>
      pool.take((error, client) =>
        resume(client ? Effect.succeed(client) : Effect.fail(PostgresFailure.from(error)))
      )
    )
    /** Runs a transaction that may be tried again as long as this holds for its failure and its connection. */
    const transact =
      (isAgain: typeof isRepeated): Transaction =>
      (body) =>
        // The same effect may run several times at once.
        Effect.suspend(() => {
          let used: pg.PoolClient | undefined
          const attempt = Effect.acquireUseRelease(
            connect,
            (client) => {
              used = client
              const run = queryOf((...query) => sendOn(client, ...query))
              return run(begin).pipe(
                Effect.zipRight(body(run)),
                Effect.zipLeft(Effect.uninterruptible(run("COMMIT")))
              )
            },
            // It would have to be rolled back first.
            (client, exit) => Effect.sync(() => pool.give(client, Exit.isFailure(exit)))
          )
          return Effect.retry(attempt, {
            times: maxRetries,
            while: (error) => isAgain(error, used)
          })
        })
    return {
      patience: config.connectionTimeoutMillis,
      send,
      query: queryOf(send),
      transaction: transact(isRepeated),
      once: transact((error) => {
        noted(error)
        return false
      }),
      counts: () => ({ ...pool.counts(), failed })
    }
  })

/** Limits for statements that may take longer than those of requests. */
export const patient = { maxConnections: 1, statementMillis: 600_000 } as const

/** Connects to the primary, for statements that may take longer than those of requests, and disconnects. */
export const use = <A>(
  options: Options,
  body: (query: Query) => Effect.Effect<A, StoreUnavailable>
): Effect.Effect<A, StoreUnavailable> =>
  Hosts.make(options).pipe(
    Effect.flatMap((hosts) => make(hosts, patient)),
    Effect.flatMap(({ query }) => body(query)),
    Effect.scoped
  )

/** Each statement sees what was committed before it, so one after a lock sees what its last holder did. */
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

/** Whether a connection may be of no use after this. */
const isBroken = (exit: Exit.Exit<unknown, StoreUnavailable>): boolean =>
  Direct.isFailureWith(exit, (error) => PostgresFailure.outcomeOf(error) !== "answered")

const queryOf =
  (send: Send): Query =>
  <R extends Row>(statement: Statement, ...values: ReadonlyArray<unknown>) =>
    Direct.async<Rows<R>, StoreUnavailable>((callback) => {
      send<R>(statement, values, callback)
      return () => {}
    })
