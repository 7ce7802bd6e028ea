/** What a database holds, written and read without starting the program: for what a test only prepares or checks. */
import { join } from "node:path"
import { KeyName, Scope } from "@petstore/access/ApiKey"
import { ApiKeys, layer as keysLayer } from "@petstore/access/ApiKeys"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import type { Pet } from "@petstore/domain/Pet"
import { type ListPets, PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import { Duration, Effect, Layer, Option, Redacted, Stream } from "effect"
import { formats } from "./Catalogue.ts"
import { postgresOf } from "./Program.ts"

/** The stores that the programs of a folder use, or those of another SQLite file in it. */
const storesOf = (path: string, file = "data/petstore.db") => {
  const url = postgresOf(path)
  return url === undefined
    ? SqliteStores.layer({ filename: join(path, file) })
    : PostgresStores.layer({ url: Redacted.make(url) })
}

/** Adds the pets of these NDJSON lines. */
export const addPets = (path: string, ndjson: string, file?: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const reader = formats.ndjson.read()
    const arrivals = ndjson.split("\n").flatMap((text, index) => {
      const record = reader.push({ number: index + 1, text }) ?? []
      if ("reason" in record) throw new Error(`${text} ${record.reason}`)
      return record
    })
    const { addAll } = yield* PetStore
    yield* addAll(Stream.fromIterable(arrivals))
  }).pipe(Effect.provide(storesOf(path, file)), Effect.orDie)

/** The names of all pets, by ascending id. */
export const names = (path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const { list } = yield* PetStore
    const pets: Array<Pet> = []
    let query: ListPets = { limit: PageLimit.make(100) }
    for (;;) {
      const page = yield* list(query)
      pets.push(...page.pets)
      if (Option.isNone(page.next)) return pets.map(({ name }) => name)
      query = { ...query, after: page.next.value }
    }
  }).pipe(Effect.provide(storesOf(path)), Effect.orDie)

/** Creates a key with all scopes, or these. */
export const createKey = (
  path: string,
  {
    expires,
    name = "ci",
    scopes = Scope.literals
  }: {
    readonly expires?: Duration.DurationInput
    readonly name?: string
    readonly scopes?: readonly [Scope, ...ReadonlyArray<Scope>]
  } = {}
) =>
  Effect.gen(function* () {
    const { issue } = yield* ApiKeys
    const lifetime = expires === undefined ? {} : { lifetime: Duration.decode(expires) }
    const { key, text } = yield* issue({ name: KeyName.make(name), scopes, ...lifetime })
    return { ...key, key: Redacted.value(text) }
  }).pipe(
    Effect.provide(
      keysLayer().pipe(Layer.provide(NodeKeyMaker.layer), Layer.provide(storesOf(path)))
    ),
    Effect.orDie
  )
