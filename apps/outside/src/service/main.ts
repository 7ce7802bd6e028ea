/** A service on the domain alone: no store, no contract and no transport of ours. */
import { createServer } from "node:http"
import { NewPet, Pet, PetId, petOf } from "@petstore/domain/Pet"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"

/** What this service uses of a store. */
const store = Layer.suspend(() => {
  const pets = new Map<PetId, Pet>()
  return Layer.mock(PetStore, {
    add: (newPet) =>
      Effect.sync(() => {
        const pet = petOf(PetId.make(BigInt(pets.size + 1)), newPet)
        pets.set(pet.id, pet)
        return pet
      }),
    get: (id) =>
      Effect.suspend(() => {
        const pet = pets.get(id)
        return pet === undefined ? new PetNotFound({ id }) : Effect.succeed(pet)
      })
  })
})

const runtime = ManagedRuntime.make(Layer.provide(Pets.layer, store))

/** Adds the pet of a body, and answers with what the catalogue has then. */
const add = (body: string) =>
  Effect.gen(function* () {
    const pets = yield* Pets.Pets
    const newPet = yield* Schema.decode(Schema.parseJson(NewPet))(body)
    const { pet } = yield* pets.add(newPet)
    return yield* Schema.encode(Schema.parseJson(Pet))(yield* pets.get(pet.id))
  }).pipe(
    Effect.map((text) => ({ status: 201, text })),
    Effect.catchTag("ParseError", ({ message }) => Effect.succeed({ status: 400, text: message })),
    Effect.catchAll(({ message }) => Effect.succeed({ status: 500, text: message }))
  )

const server = createServer(async (request, response) => {
  const chunks = await request.toArray()
  const { status, text } = await runtime.runPromise(add(Buffer.concat(chunks).toString()))
  response.writeHead(status).end(text)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address !== null && typeof address === "object")
    process.stdout.write(`http://127.0.0.1:${address.port}\n`)
})
