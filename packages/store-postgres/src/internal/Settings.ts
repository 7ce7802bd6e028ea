/** The settings of connections, from a URL and the store's options. */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import { parseIntoClientConfig } from "pg-connection-string"
import type { Options } from "./ConnectionOptions.ts"

/** How long the driver waits for an answer after the server should have given up. */
export const answerMargin = 500
const idleInTransaction = 10_000
const idleConnection = 60_000

/** What the driver takes, and how long a statement may go without an answer, in milliseconds. */
export interface Settings extends pg.PoolConfig {
  readonly connectionTimeoutMillis: number
  readonly answerMillis: number
}

/** The settings of the driver. Throws for an invalid URL. */
export const make = (options: Options): Settings => {
  const {
    connectTimeout = "1500 millis",
    lockTimeout = "2 seconds",
    maxConnections = 10,
    statementTimeout = "5 seconds"
  } = options
  const { password, ...parsed } = parseIntoClientConfig(withLibpqModes(Redacted.value(options.url)))
  const given = password || (options.password && Redacted.value(options.password))
  const statementMillis = Duration.toMillis(statementTimeout)
  return {
    fallback_application_name: "petstore",
    statement_timeout: statementMillis,
    lock_timeout: Duration.toMillis(lockTimeout),
    idle_in_transaction_session_timeout: idleInTransaction,
    keepAlive: true,
    keepAliveInitialDelayMillis: idleInTransaction,
    ...parsed,
    ...(given ? { password: given } : {}),
    max: maxConnections,
    connectionTimeoutMillis: Duration.toMillis(connectTimeout),
    idleTimeoutMillis: idleConnection,
    answerMillis: statementMillis + answerMargin,
    types: { getTypeParser }
  }
}

/** Lets `sslmode` mean what it means to libpq; the driver would take `require` for `verify-full`. */
const withLibpqModes = (url: string): string =>
  /[?&]sslmode=/.test(url) && !/[?&]uselibpqcompat=/.test(url) ? `${url}&uselibpqcompat=true` : url

/** Values of type bigint are exact; the driver would return them as strings. */
const getTypeParser: typeof pg.types.getTypeParser = (type: number, format?: "text" | "binary") =>
  type === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(type, format)
