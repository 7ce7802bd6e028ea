/** What the driver is given, from a URL and the store's options. */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import { parseIntoClientConfig } from "pg-connection-string"
import type { Options } from "./ConnectionOptions.ts"

/** How long the driver waits for an answer after the server should have given up. */
export const answerMargin = 500
const statementMillis = 5000
const idleInTransaction = 10_000
const idleConnection = 60_000

/** What the driver takes, and how long a statement may go without an answer, in milliseconds. */
export interface DriverConfig extends pg.PoolConfig {
  readonly connectionTimeoutMillis: number
  readonly answerMillis: number
}

/** How many connections there may be, and how long a statement may run, in milliseconds. */
export interface Limits {
  readonly maxConnections?: number
  readonly statementMillis?: number
}

/** Parameters of the URL such as `lock_timeout` come first. Throws if it is invalid. */
export const make = (options: Options, limits: Limits = {}): DriverConfig => {
  const { connectTimeout = "1500 millis", maxConnections = 10 } = options
  const { password, ...parsed } = parseIntoClientConfig(withLibpqModes(Redacted.value(options.url)))
  const config = {
    fallback_application_name: "petstore",
    statement_timeout: statementMillis,
    lock_timeout: 2000,
    idle_in_transaction_session_timeout: idleInTransaction,
    keepAlive: true,
    keepAliveInitialDelayMillis: idleInTransaction,
    ...parsed,
    ...(limits.statementMillis === undefined ? {} : { statement_timeout: limits.statementMillis })
  }
  return {
    ...config,
    ...(password ? { password } : {}),
    max: limits.maxConnections ?? maxConnections,
    connectionTimeoutMillis: Duration.toMillis(connectTimeout),
    idleTimeoutMillis: idleConnection,
    answerMillis: (Number(config.statement_timeout) || statementMillis) + answerMargin,
    types: { getTypeParser }
  }
}

/** Lets `sslmode` mean what it means to libpq; the driver would take `require` for `verify-full`. */
const withLibpqModes = (url: string): string =>
  /[?&]sslmode=/.test(url) && !/[?&]uselibpqcompat=/.test(url) ? `${url}&uselibpqcompat=true` : url

/** Values of type bigint are exact; the driver would return them as strings. */
const getTypeParser: typeof pg.types.getTypeParser = (type: number, format?: "text" | "binary") =>
  type === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(type, format)
