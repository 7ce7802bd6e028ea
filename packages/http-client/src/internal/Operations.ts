/** The operations of the Pet Store: what to send, and how to read the answer. */
import { bodyCodes, type ErrorCode } from "../Errors.ts"
import type { Idempotency } from "../Options.ts"
import { type ListQuery, type NewPet, type Page, type Pet, petFields, queryFields } from "../Pet.ts"
import * as Checks from "./Checks.ts"
import { idempotencyKeyOf, nextOf, type Service, searchOf, type Table } from "./Operation.ts"

/** Pets of a newer service may have another status. */
const pet: Checks.Check<Pet> = Checks.struct({
  id: Checks.int64,
  ...petFields,
  status: Checks.optional(Checks.text)
})
const decodePet = (body: unknown) => pet("the answer", body)

/** The table of operations, by resource. Both forms of the client have a method for each. */
export const operations = {
  pets: {
    /** Adds a pet. Each call may add another pet, unless `idempotencyKey` is given. */
    add: (pet: NewPet, options: Idempotency) => ({
      name: "createPet",
      path: "/pets",
      method: "POST",
      body: Checks.struct(petFields)("the pet", pet),
      idempotencyKey: idempotencyKeyOf(options),
      errors: [...bodyCodes, "idempotency_key_reused"],
      decode: decodePet
    }),
    /**
     * Gets a pet by its id.
     *
     * @deprecated The service removes this operation on 5 December 2030: list pets instead.
     */
    get: (id: bigint | number) => ({
      name: "getPet",
      path: `/pets/${Checks.int64("id", id)}`,
      errors: ["pet_not_found", "gone"],
      decode: decodePet
    }),
    /** Lists pets by ascending id. */
    list: {
      page: (query: ListQuery) => ({
        name: "listPets",
        path: `/pets?${searchOf(Checks.struct(queryFields)("the query", query))}`,
        errors: ["invalid_parameter"],
        decode: (body, headers): Page => ({
          pets: Checks.array(pet)("the answer", body),
          next: nextOf(headers)
        })
      }),
      items: "pets" as const
    }
  }
} satisfies Table<ErrorCode>

/** The types of the operations, of which those of the methods are made. */
export type Operations = typeof operations

/** The Pet Store, as clients call it. */
export const petStore: Service<Operations> = { name: "a Pet Store", prefix: "/v1", operations }
