/** Adoptions in a SQLite file, for one process. */
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import Database from "better-sqlite3"
import { Effect, Layer, Option, Schema } from "effect"
import { Adoption, AdoptionStore, AlreadyAdopted } from "./Adoption.ts"

/** The store in this file, which is created if it is missing. */
export const layer = (filename: string) => Layer.scoped(AdoptionStore, make(filename))

const make = (filename: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      attempt(() => open(filename)),
      (opened) => Effect.sync(() => opened.close())
    )
    const insert = database.prepare("INSERT INTO adoptions VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    const select = database.prepare("SELECT * FROM adoptions WHERE id = ?")
    return AdoptionStore.of({
      add: ({ adopter, id, petId }) =>
        Effect.flatMap(
          attempt(() => insert.run(id, petId, adopter)),
          ({ changes }) => (changes === 0 ? new AlreadyAdopted() : Effect.void)
        ),
      get: (id) => attempt(() => Option.map(Option.fromNullable(select.get(id)), decode))
    })
  })

const decode = Schema.decodeUnknownSync(Adoption)
const attempt = <A>(body: () => A) =>
  Effect.try({ try: body, catch: (cause) => new StoreUnavailable({ reason: "down", cause }) })

const open = (filename: string) => {
  const database = new Database(filename)
  // A commit is on the disk before it is acknowledged.
  database.pragma("synchronous = FULL")
  database.defaultSafeIntegers(true)
  const columns = "id TEXT UNIQUE NOT NULL, petId INTEGER UNIQUE NOT NULL, adopter TEXT NOT NULL"
  return database.exec(`CREATE TABLE IF NOT EXISTS adoptions (${columns}) STRICT`)
}
