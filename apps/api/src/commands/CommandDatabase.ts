/** Opens the database for a command that uses it without a server. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { type CommandFailed, invalid, unavailable } from "../cli/CommandFailed.ts"
import { printError, shownOn, Terminal } from "../cli/Terminal.ts"
import { type DurableDatabase, forCommand, fromStore, isDurable } from "../databases/Database.ts"
import * as Databases from "../databases/Databases.ts"
import * as AppConfig from "../settings/AppConfig.ts"

/** The database that the environment names, if it is persistent. */
export const durable = Effect.filterOrFail(AppConfig.database, isDurable, ({ url }) =>
  invalid(`DATABASE_URL ${url} is not persistent: set it to ${Databases.durableForms}`)
)

/** The same, created if it does not exist; says so on a terminal. */
export const orNew = Effect.tap(durable, (database) =>
  Effect.flatMap(Effect.all([Terminal, exists(database)]), ([{ stderr }, exists]) =>
    stderr.isTTY && !exists ? printError(`creating a new database: ${database.url}`) : Effect.void
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

/** Explains failures of a database, and logs what happens to it. */
export const explained =
  (database: DurableDatabase) =>
  <A, R>(effect: Effect.Effect<A, CommandFailed | StoreUnavailable, R>) =>
    Effect.catchTag(effect, "StoreUnavailable", fromStore(database)).pipe(Effect.provide(logging))

// Interruptible until the database is open, even in commands that are not: a server may take long to answer.
const exists = (database: DurableDatabase) =>
  explained(database)(Effect.interruptible(database.exists))

/** Provides the stores of a database to an effect. */
export const using =
  (database: DurableDatabase) =>
  <A, R>(effect: Effect.Effect<A, CommandFailed | StoreUnavailable, PetStore | ApiKeyStore | R>) =>
    Effect.scopedWith((scope) =>
      Effect.flatMap(
        Effect.interruptible(Layer.buildWithScope(database.layer(forCommand), scope)),
        (stores) => Effect.provide(effect, stores)
      )
    ).pipe(explained(database))

/** Logs go to standard error; standard output is for results. */
export const logging = Logger.replaceEffect(
  Logger.defaultLogger,
  Effect.map(Terminal, ({ stderr }) =>
    Logger.map(Logger.logfmtLogger, (line) => stderr.write(`${shownOn(stderr, line)}\n`))
  )
)
