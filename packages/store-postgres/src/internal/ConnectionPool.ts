/** A pool of connections. Every wait is bounded, and a connection that may be of no use is replaced. */
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type pg from "pg"
import type { Options, PoolState } from "./ConnectionOptions.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as RenewablePool from "./RenewablePool.ts"
import * as Settings from "./Settings.ts"
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
  /** Sends a statement after one that must return true, on the same connection. Without that it has no result. */
  readonly sendIf: <R extends Row>(
    condition: readonly [statement: Statement, value: unknown],
    statement: Statement,
    values: ReadonlyArray<unknown>,
    callback: Direct.Callback<Rows<R> | undefined, StoreUnavailable>
  ) => void
  /** As `send`, as an effect. An interruption does not wait for the statement. */
  readonly query: Query
  /** Commits what the body does, or nothing if it fails. It is retried after a conflict. */
  readonly transaction: Transaction
  /** The same, for a body that cannot be run again. */
  readonly once: Transaction
  /** How many connections there are, and what became of them. */
  readonly counts: () => Omit<PoolState, "pool">
}

/** How many times a statement or a transaction is retried after a conflict. */
export const maxRetries = 20

/** Opens a pool; connections are made when they are needed. */
export const make = (
  options: Options,
  routing: RenewablePool.Routing = {}
): Effect.Effect<ConnectionPool, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* PostgresFailure.ofUrl(() => Settings.make(options))
    const patience = settings.connectionTimeoutMillis
    const pools = yield* RenewablePool.make(settings, routing)

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
      const { answerMillis = settings.answerMillis, ...prepared } =
        typeof statement === "string" ? { text: statement } : statement
      const giveUp = () => {
        callback(Exit.fail(PostgresFailure.make("down", "no answer in time")))
        callback = () => {}
      }
      const timer = setTimeout(giveUp, answerMillis)
      // A new object for each use: the driver writes to it.
      const config = { ...prepared, values: [...values], rowMode: "array" }
      client.query<R>(config, (error: unknown, result) => {
        clearTimeout(timer)
        callback(error ? Exit.fail(PostgresFailure.from(error)) : Exit.succeed(result.rows))
      })
    }

    let failed = 0
    const noted = <E>(error: E): E => {
      if (PostgresFailure.outcomeOf(error) === "gone") failed++
      return error
    }
    /** Whether to try again: after a conflict, or on other connections if these went to a standby. */
    const isRepeated = (error: unknown, used: RenewablePool.Generation): boolean =>
      PostgresFailure.isConflict(noted(error)) ||
      (PostgresFailure.isReadOnly(error) && pools.leave(used))
    const attempt = <R extends Row>(tries: number, ...query: Parameters<typeof send<R>>): void => {
      const [statement, values, callback] = query
      const used = pools.current()
      const settle: typeof callback = (exit) => {
        const isAgain = Direct.isFailureWith(exit, (error) => isRepeated(error, used))
        if (isAgain && tries < maxRetries) attempt(tries + 1, ...query)
        else callback(exit)
      }
      used.pool.connect((error, client) => {
        if (client === undefined) return settle(Exit.fail(PostgresFailure.from(error)))
        sendOn<R>(client, statement, values, (exit) => {
          release(client, exit)
          settle(exit)
        })
      })
    }
    const send: Send = (...query) => attempt(0, ...query)

    const sendIf: ConnectionPool["sendIf"] = ([condition, value], statement, values, callback) =>
      pools.current().pool.connect((error, client) => {
        if (client === undefined) return callback(Exit.fail(noted(PostgresFailure.from(error))))
        let isMet = false
        sendOn<[isTrue: boolean]>(client, condition, [value], (exit) => {
          isMet = Exit.isSuccess(exit) && exit.value[0]?.[0] === true
        })
        sendOn<never>(client, statement, values, (exit) => {
          release(client, exit)
          if (Exit.isFailure(exit)) callback(Exit.mapError(exit, noted))
          else callback(isMet ? exit : Exit.succeed(undefined))
        })
      })

    const on =
      ({ pool }: RenewablePool.Generation): Transaction =>
      (body) =>
        Effect.acquireUseRelease(
          connect(pool),
          (client) => {
            const run = queryOf((...query) => sendOn(client, ...query))
            return run(begin).pipe(
              Effect.zipRight(body(run)),
              Effect.zipLeft(Effect.uninterruptible(run("COMMIT")))
            )
          },
          // It would have to be rolled back first.
          (client, exit) => Effect.sync(() => client.release(Exit.isFailure(exit)))
        )
    const once: Transaction = (body) =>
      Effect.suspend(() => Effect.mapError(on(pools.current())(body), noted))
    const transaction: Transaction = (body) =>
      // The same effect may run several times at once, each on a pool of its own.
      Effect.suspend(() => {
        let used = pools.current()
        const attempt = Effect.suspend(() => {
          used = pools.current()
          return on(used)(body)
        })
        return Effect.retry(attempt, {
          times: maxRetries,
          while: (error) => isRepeated(error, used)
        })
      })

    const counts = () => {
      const { idleCount: idle, totalCount, waitingCount: waiting } = pools.current().pool
      return { used: totalCount - idle, idle, waiting, opened: pools.opened(), failed }
    }
    return { patience, send, sendIf, query: queryOf(send), transaction, once, counts }
  })

/** Limits for statements that may take longer than those of requests. */
export const patient = { maxConnections: 1, statementTimeout: "10 minutes" } as const

/** Each statement sees what was committed before it, so one after a lock sees what its last holder did. */
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

/** Gives a connection back, unless it may be of no use. */
const release = (client: pg.PoolClient, exit: Exit.Exit<unknown, StoreUnavailable>) =>
  client.release(
    Direct.isFailureWith(exit, (error) => PostgresFailure.outcomeOf(error) !== "answered")
  )

/** Takes a connection from the pool. Uninterruptible in use, but not for longer than the timeout. */
const connect = (pool: pg.Pool) =>
  Effect.tryPromise({ try: () => pool.connect(), catch: PostgresFailure.from })

const queryOf =
  (send: Send): Query =>
  <R extends Row>(statement: Statement, ...values: ReadonlyArray<unknown>) =>
    Direct.async<Rows<R>, StoreUnavailable>((callback) => {
      send<R>(statement, values, callback)
      return () => {}
    })
