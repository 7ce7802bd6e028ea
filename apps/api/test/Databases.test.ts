import { expect, it } from "@effect/vitest"
import { CategoryId, PetName } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import { slowly } from "@petstore/local-postgres/support/Listener"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import type { PoolState } from "@petstore/store-postgres/PostgresStores"
import { Effect, Either, Layer } from "effect"
import { forCommand } from "../src/databases/Database.ts"
import * as Databases from "../src/databases/Databases.ts"
import { live } from "./support/Folder.ts"

it.each<readonly [url: string, shown: string | undefined]>([
  ...[
    ...["postgres://me:se@cr/et@host/pets", "postgres://me:1/secret@host/pets"],
    ...["postgres://me:1?secret@host/pets", "postgres://me:1#secret@host/pets"],
    ...["postgres://host:1/pets#secret", "postgres://host:1/se/secret"],
    ...["Postgres://me:secret@host/pets", "postgres://host/pets;password=secret"],
    ...["mysql://me:secret@host/pets", "host=db user=me password=secret", "me:secret@host/pets"],
    ...["sqlite::memory:", "sqlite://host/secret.db", "sqlite://secret/pets.db"],
    ...["postgres://me@a:1,b:secret/pets", "postgres://me:a:1,secret/x@b:2/pets"],
    ...["postgres://me:secret@/pets"]
  ].map((url) => [url, undefined] as const),
  ["sqlite:data/me@home.db", `sqlite:${process.cwd()}/data/me@home.db`],
  ["sqlite:./pets.db", `sqlite:${process.cwd()}/pets.db`],
  [" sqlite:pets.db ", `sqlite:${process.cwd()}/pets.db`],
  ["sqlite:link/../pets.db", `sqlite:${process.cwd()}/link/../pets.db`],
  ["sqlite:///pets.db", "sqlite:/pets.db"],
  ["postgres:///pets?host=/run/postgresql", "postgres:///pets?***"],
  ["postgres://%2Frun%2Fpostgresql/pets", "postgres://%2Frun%2Fpostgresql/pets"],
  ["postgres://me:se@secret@host:5432/pets", "postgres://***@host:5432/pets"],
  ["postgres://host/pets?sslpassword=secret", "postgres://host/pets?***"],
  ["postgres://me:secret@a:1,b/pets?target_session_attrs=any", "postgres://***@a:1,b/pets?***"],
  ["postgres://[::1]:1,db.example:2,c/pets", "postgres://[::1]:1,db.example:2,c/pets"],
  ["postgres://me:1,secret@a,b/pets", "postgres://***@a,b/pets"],
  ["postgresql://[::1]:5432/pets?PASSWORD=secret", "postgresql://[::1]:5432/pets?***"]
])("the URL of a database %s is shown as %s, and never with a secret", (url, shown) => {
  const found = Databases.parse(url)
  expect(Either.getOrUndefined(found)?.url).toBe(shown)
  if (Either.isLeft(found)) expect(found.left).not.toMatch(/secret|cr\/et/)
})

live(
  "a database of PostgreSQL has as many connections as it may, and tells about its work",
  function* () {
    const database = yield* Databases.parse(yield* SharedPostgres.database)
    const batches: Array<number> = []
    let state: (() => PoolState) | undefined
    const events = {
      onBatch: (size: number) => batches.push(size),
      onCache: () => {},
      onFile: () => {},
      onPool: (read: () => PoolState) => {
        state = read
      }
    }
    const stores = database.layer({ poolSize: 1, connectTimeout: "30 seconds", events })
    yield* Effect.gen(function* () {
      const store = yield* PetStore
      const add = store.add({ name: PetName.make("Rex"), categoryId: CategoryId.make(1n) })
      yield* Effect.zip(add, store.list({ limit: PageLimit.make(1) }), { concurrent: true })
      expect(batches).toEqual([1])
      expect(state?.()).toMatchObject({ used: 0, idle: 1 })
    }).pipe(Effect.provide(stores))
  }
)

live(
  "a server waits for a connection to PostgreSQL as long as requests may, a command longer",
  function* () {
    const url = new URL(yield* SharedPostgres.database)
    url.port = String(yield* slowly(SharedPostgres.port(), 1600))
    const { layer } = yield* Databases.parse(url.href)
    expect((yield* Effect.exit(Layer.build(layer({}))))._tag).toBe("Failure")
    expect((yield* Effect.exit(Layer.build(layer(forCommand))))._tag).toBe("Success")
  }
)
