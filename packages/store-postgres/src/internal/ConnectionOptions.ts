/** How to connect. Callers see these types, so they need none of the driver's. */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** The database, the size of the pool and timeouts. */
export interface Options {
  /**
   * `postgres://user:password@host:port/database`, with the parameters of libpq, such as `sslmode`, and of the server,
   * such as `statement_timeout`. Of several hosts (`a:5432,b:5433`), `target_session_attrs` says which one to use.
   */
  readonly url: Redacted.Redacted
  /** The largest number of connections for requests; 10 by default. Keys are read on one more. */
  readonly maxConnections?: number | undefined
  /** How long an operation waits for a connection; 1.5 seconds by default. */
  readonly connectTimeout?: Duration.DurationInput | undefined
  /** Called with the number of pets that were committed together. */
  readonly onBatch?: ((size: number) => void) | undefined
  /** Receives a function that returns the state of the connections for requests, for metrics. */
  readonly onOpen?: ((read: () => PoolState) => void) | undefined
}

/** The connections of a pool. */
export interface PoolState {
  readonly used: number
  readonly idle: number
  /** Operations that wait for a connection. */
  readonly waiting: number
  /** Connections made since the start. */
  readonly opened: number
  /** Operations that failed since the start because a connection was lost or could not be made in time. */
  readonly failed: number
}
