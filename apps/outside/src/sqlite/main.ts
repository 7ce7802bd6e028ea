/** Keeps a pet in a SQLite file, and finds it there when the store is opened again. */
import { NewPet } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as SqliteStores from "@petstore/store-sqlite/SqliteStores"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const [, , filename = "petstore.db"] = process.argv
const stores = SqliteStores.layer({ filename })

const opened = Effect.provide(stores)

const program = Effect.gen(function* () {
  const pet = yield* Schema.decode(NewPet)({ name: "Rex", categoryId: 1 })
  const { id } = yield* opened(Effect.flatMap(PetStore, (store) => store.add(pet)))
  return yield* opened(Effect.flatMap(PetStore, (store) => store.get(id)))
})

const { id, name } = await Effect.runPromise(program)
process.stdout.write(`${id} ${name}`)
