/** The operations of the Pet Store: what to send, and how to read the answer. */
import { bodyCodes } from "../Errors.ts"
import type { Idempotency } from "../Options.ts"
import { type ListQuery, type NewPet, type Page, type Pet, petFields, queryFields } from "../Pet.ts"
import * as Checks from "./Checks.ts"
import type { Operation } from "./Operation.ts"

/** Pets of a newer service may have another status. */
const pet: Checks.Check<Pet> = Checks.struct({
  id: Checks.int64,
  ...petFields,
  status: Checks.optional(Checks.text)
})
const decodePet = (body: unknown) => pet("the answer", body)

/** Adds a pet. */
export const addPet = (pet: NewPet, { idempotencyKey }: Idempotency) =>
  ({
    name: "createPet",
    path: "/pets",
    method: "POST",
    body: Checks.struct(petFields)("the pet", pet),
    idempotencyKey: Checks.matching(
      /^[!#-[\]-~]{1,255}$/,
      '1 to 255 visible ASCII characters without " and \\'
    )(
      "idempotencyKey",
      // Not `randomUUID`, which browsers have on secure pages only.
      idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join("-")
    ),
    errors: [...bodyCodes, "idempotency_key_reused"] as const,
    decode: decodePet
  }) satisfies Operation<Pet>

/** Gets a pet by its id. */
export const getPet = (id: bigint | number) =>
  ({
    name: "getPet",
    path: `/pets/${Checks.int64("id", id)}`,
    errors: ["pet_not_found", "gone"] as const,
    decode: decodePet
  }) satisfies Operation<Pet>

/** Lists a page of pets by ascending id. */
export const listPets = (query: ListQuery) =>
  ({
    name: "listPets",
    path: `/pets?${searchOf(Checks.struct(queryFields)("the query", query))}`,
    errors: ["invalid_parameter"] as const,
    decode: (body, headers) => ({
      pets: Checks.array(pet)("the answer", body),
      next: nextOf(headers)
    })
  }) satisfies Operation<Page>

/** The parameters of a list; `after` is what the service calls the cursor. */
const searchOf = (query: object): URLSearchParams => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    search.set(name === "after" ? "cursor" : name, `${value}`)
  return search
}

/** Where the next page starts. Only its cursor: the service may not know the address that it is reached by. */
const nextOf = (headers: Headers): string | undefined => {
  const [, target] = /<([^<>]*)>; *rel="?next/.exec(headers.get("link") ?? "") ?? []
  const next = target && new URLSearchParams(target.split("?")[1]).get("cursor")
  return queryFields.after("the next page", next)
}
