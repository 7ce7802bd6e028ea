/** How to connect. Callers see these types, so they need none of the driver's. */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** The database, the size of the pool and timeouts. */
export interface Options {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq, such as `sslmode`. */
  readonly url: Redacted.Redacted
  /** The password if the URL has none; PGPASSWORD by default. */
  readonly password?: Redacted.Redacted | undefined
  /** The largest number of connections for requests; 10 by default. Keys are read on one more. */
  readonly maxConnections?: number | undefined
  /** How long an operation waits for a connection; 1.5 seconds by default. */
  readonly connectTimeout?: Duration.DurationInput | undefined
  /** How long a statement may run; 5 seconds by default. */
  readonly statementTimeout?: Duration.DurationInput | undefined
  /** How long a statement waits for a lock; 2 seconds by default. */
  readonly lockTimeout?: Duration.DurationInput | undefined
}
