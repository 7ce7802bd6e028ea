/** The database of a command that works on it directly. */
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

/** A database that outlives the command. */
export interface Durable extends Omit<Database, "upkeep"> {
  readonly upkeep: Upkeep
}

/** The database that the flag or else the environment names. */
export const durable = (flag: Option.Option<string>): Effect.Effect<Durable, CommandFailed> =>
  AppConfig.database.pipe(
    withVariables({ DATABASE_URL: flag }),
    Effect.mapError(fromConfig),
    Effect.flatMap(({ upkeep, ...database }) =>
      Option.match(upkeep, {
        onNone: () =>
          new CommandFailed({
            message: `DATABASE_URL ${database.url} lives and dies with its server: set it to sqlite:<file>`,
            reason: "usage"
          }),
        onSome: (upkeep) => Effect.succeed({ ...database, upkeep })
      })
    )
  )

/** The same, for a command that may be the first to use it; people are told that it makes one. */
export const orNew = (flag: Option.Option<string>): Effect.Effect<Durable, CommandFailed> =>
  Effect.tap(durable(flag), ({ upkeep, url }) =>
    upkeep.exists() || !process.stderr.isTTY
      ? Effect.void
      : Console.error(`making a new database: ${url}`)
  )

/** The same, when it is there already. */
export const existing = (flag: Option.Option<string>): Effect.Effect<Durable, CommandFailed> =>
  Effect.filterOrFail(
    durable(flag),
    ({ upkeep }) => upkeep.exists(),
    ({ url }) =>
      new CommandFailed({
        message: `there is no database at ${url}: start petstore serve, or set DATABASE_URL to another`,
        reason: "unavailable"
      })
  )

/** Does something with the stores of a database. */
export const using = <A>(
  database: Durable,
  effect: Effect.Effect<A, CommandFailed | StoreUnavailable, PetStore | ApiKeyStore>
): Effect.Effect<A, CommandFailed> =>
  effect.pipe(
    Effect.provide(database.layer({ cacheBytes: 0 })),
    Effect.catchTag("StoreUnavailable", (error) => fromStore(database)(error)),
    Effect.provide(logging)
  )

/** Standard output is for what was asked for. */
const logging = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))
