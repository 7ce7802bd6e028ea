/** The use cases of the domain on a store that has no more than they need: no contract and no transport of ours. */
import { NewPet, type Pet, PetId, petOf } from "@petstore/domain/Pet"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const known = new Map<PetId, Pet>()
const store = Layer.mock(PetStore, {
  add: (newPet) => {
    const pet = petOf(PetId.make(BigInt(known.size + 1)), newPet)
    return Effect.sync(() => known.set(pet.id, pet)).pipe(Effect.as(pet))
  },
  get: (id) =>
    Effect.fromNullable(known.get(id)).pipe(Effect.mapError(() => new PetNotFound({ id })))
})

const program = Effect.gen(function* () {
  const pets = yield* Pets.Pets
  const newPet = yield* Schema.decode(NewPet)({ name: "Rex", categoryId: 7 })
  const { pet } = yield* pets.add(newPet)
  const other = yield* Effect.flip(pets.get(PetId.make(2n)))
  return `${(yield* pets.get(pet.id)).name}, ${other._tag}`
})

process.stdout.write(
  await Effect.runPromise(Effect.provide(program, Layer.provide(Pets.layer, store)))
)
