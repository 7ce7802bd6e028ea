/** Pages that are larger than what the system buffers of a few responses. */
import { NewPet } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { connect } from "./Connection.ts"
import { operation, render } from "./Request.ts"

/** A request for the whole catalogue that `fill` makes. */
export const page = render({ target: "/v1/pets?limit=100" })

/** What the response to it exceeds. */
export const pageLength = 6_000_000

/** Adds a hundred pets with names of this length to the store: by requests, that takes longer than reading them. */
export const fillWith = (length: number) => {
  const pet = Schema.decodeSync(NewPet)({ name: "n".repeat(length), categoryId: 1n })
  return Effect.flatMap(PetStore, ({ add }) =>
    Effect.replicateEffect(add(pet), 100, { discard: true })
  )
}

/** Adds a hundred pets that make such a page. */
export const fill = fillWith(pageLength / 100)

/** Reads the catalogue on a connection of its own, and expects all of it. */
export const readPage = Effect.gen(function* () {
  const connection = yield* connect
  yield* connection.send(page)
  const { body, status } = yield* connection.receive(operation("GET /v1/pets"))
  expect({ status, isWhole: body.length > pageLength && body.endsWith("]") }).toEqual({
    status: 200,
    isWhole: true
  })
}).pipe(Effect.scoped)
