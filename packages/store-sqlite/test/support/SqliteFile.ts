/** Files to keep stores in, and another connection to them, as a second process would have. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it, vi } from "@effect/vitest"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { NewPet } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import Database from "better-sqlite3"
import { Context, Effect, Schema, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import * as Driver from "../../src/internal/Driver.ts"

/** A test that runs in real time, with a scope that is closed after it. */
export const live = (
  name: string,
  body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, void, never>
) => it.scopedLive(name, () => Effect.gen(body))

/** A folder of its own, gone with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A new file for each run, for the laws. */
export const place = Effect.map(folder, (path) =>
  SqliteStores.layer({ filename: join(path, "pets.db") })
)

/** The store of pets alone. */
export const openStore = (options: SqliteStores.Options) =>
  Effect.map(SqliteStores.make(options), Context.get(PetStore))

/** A connection that waits for no lock. */
export const connect = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Database(filename, { timeout: 0 })),
    (database) => Effect.sync(() => database.close())
  )

/** Calls back before each statement of the store's connections that are opened while the scope is open. */
export const beforeStatements = (onStatement: (database: Driver.Database, sql: string) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { open } = Driver
      return vi.spyOn(Driver, "open").mockImplementation((filename, options) => {
        const database = open(filename, options)
        const noting = <A>(run: (sql: string) => A) => {
          return (sql: string) => {
            onStatement(database, sql)
            return run(sql)
          }
        }
        return {
          ...database,
          exec: noting(database.exec),
          value: noting(database.value),
          prepare: noting(database.prepare) as Driver.Database["prepare"]
        }
      })
    }),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

/** How long a connection waits for locks. */
export const timeoutOf = (database: Driver.Database) => database.value("PRAGMA busy_timeout")

/** A new file, another connection to it, and the stores in it. */
export const setUp = Effect.gen(function* () {
  const filename = join(yield* folder, "pets.db")
  const stores = yield* SqliteStores.make({ filename })
  const other = yield* connect(filename)
  const store = Context.get(stores, PetStore)
  return { filename, keys: Context.get(stores, ApiKeyStore), other, store }
})

/** A pet to add. */
export const pet = (name: string, status?: string): NewPet =>
  Schema.decodeUnknownSync(NewPet)({ name, categoryId: 1, ...(status && { status }) })

/** The greatest there is. */
export const limit = PageLimit.make(100)

/** The names of the first pets, by id. */
export const names = (store: PetStore["Type"]) =>
  Effect.map(store.list({ limit }), (page) => page.pets.map((one) => one.name))

/** A file with one pet, changed by these statements. */
export const changed = (sql: string) =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "pets.db")
    yield* Effect.scoped(Effect.flatMap(openStore({ filename }), (store) => store.add(pet("Rex"))))
    const database = yield* connect(filename)
    database.unsafeMode().exec(sql)
    database.close()
    return filename
  })
