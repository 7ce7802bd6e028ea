/** Opens the database for a command that uses it without a server. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as AppConfig from "../AppConfig.ts"
import { CommandFailed, fromConfig, fromStore } from "../CommandFailed.ts"
import type { Database, Upkeep } from "../Databases.ts"
import { withVariables } from "./CommonFlags.ts"

/** A persistent database. */
export interface Durable extends Omit<Database, "upkeep"> {
  readonly upkeep: Upkeep
}

/** The database that the flag or the environment names. */
export const durable = (flag: Option.Option<string>): Effect.Effect<Durable, CommandFailed> =>
  AppConfig.database.pipe(
    withVariables({ DATABASE_URL: flag }),
    Effect.mapError(fromConfig),
    Effect.flatMap(({ upkeep, ...database }) =>
      Option.match(upkeep, {
        onNone: () =>
          new CommandFailed({
            message: `DATABASE_URL ${database.url} is not persistent: set it to sqlite:<file>`,
            reason: "usage"
          }),
        onSome: (upkeep) => Effect.succeed({ ...database, upkeep })
      })
    )
  )

/** The same, created if it does not exist; says so on a terminal. */
export const orNew = (flag: Option.Option<string>): Effect.Effect<Durable, CommandFailed> =>
  Effect.tap(durable(flag), ({ upkeep, url }) =>
    upkeep.exists() || !process.stderr.isTTY
      ? Effect.void
      : Console.error(`creating a new database: ${url}`)
  )

/** The same; fails if it does not exist. */
export const existing = (flag: Option.Option<string>): Effect.Effect<Durable, CommandFailed> =>
  Effect.filterOrFail(
    durable(flag),
    ({ upkeep }) => upkeep.exists(),
    ({ url }) =>
      new CommandFailed({
        message: `there is no database at ${url}: run petstore serve, or set DATABASE_URL to an existing one`,
        reason: "unavailable"
      })
  )

/** Provides the stores of a database to an effect. */
export const using = <A>(
  database: Durable,
  effect: Effect.Effect<A, CommandFailed | StoreUnavailable, PetStore | ApiKeyStore>
): Effect.Effect<A, CommandFailed> =>
  effect.pipe(
    Effect.provide(database.layer({ cacheBytes: 0 })),
    Effect.catchTag("StoreUnavailable", (error) => fromStore(database)(error)),
    Effect.provide(logging)
  )

/** Logs go to standard error; standard output is for results. */
const logging = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))
