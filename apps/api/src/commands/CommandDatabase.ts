/** Opens the database for a command that uses it without a server. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Logger from "effect/Logger"
import * as AppConfig from "../AppConfig.ts"
import { type CommandFailed, fromStore, invalid, unavailable } from "../CommandFailed.ts"
import { printError, Terminal } from "../cli/Terminal.ts"
import { type DurableDatabase, forCommand, isDurable } from "../databases/Database.ts"
import * as Databases from "../databases/Databases.ts"

/** The database that the environment names, if it is persistent. */
export const durable = Effect.filterOrFail(AppConfig.database, isDurable, ({ url }) =>
  invalid(`DATABASE_URL ${url} is not persistent: set it to ${Databases.durableForms}`)
)

/** The same, created if it does not exist; says so on a terminal. */
export const orNew = Effect.tap(durable, (database) =>
  Effect.flatMap(Effect.all([Terminal, exists(database)]), ([{ stderr }, exists]) =>
    exists || !stderr.isTTY ? Effect.void : printError(`creating a new database: ${database.url}`)
  )
)

/** The same; fails if it does not exist. */
export const existing = Effect.tap(durable, (database) =>
  Effect.filterOrFail(exists(database), identity, () =>
    unavailable(
      `there is no database at ${database.url}: run petstore serve, or set DATABASE_URL to an existing one`
    )
  )
)

/** Explains failures of a database. */
export const explained = <A, R>(
  database: DurableDatabase,
  effect: Effect.Effect<A, CommandFailed | StoreUnavailable, R>
) => Effect.catchTag(effect, "StoreUnavailable", fromStore(database))

const exists = (database: DurableDatabase) => explained(database, database.exists)

/** Provides the stores of a database to an effect. */
export const using =
  (database: DurableDatabase) =>
  <A, R>(effect: Effect.Effect<A, CommandFailed | StoreUnavailable, PetStore | ApiKeyStore | R>) =>
    explained(database, Effect.provide(effect, database.layer(forCommand))).pipe(
      Effect.provide(logging)
    )

/** Logs go to standard error; standard output is for results. */
export const logging = Logger.replaceEffect(
  Logger.defaultLogger,
  Effect.map(Terminal, ({ stderr }) =>
    Logger.map(Logger.logfmtLogger, (line) => stderr.write(`${line}\n`))
  )
)
