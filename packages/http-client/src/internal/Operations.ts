/** The operations of the Pet Store: what to send, and how to read the answer. */
import * as Errors from "../Errors.ts"
import { stringify } from "../Json.ts"
import type { Idempotency } from "../Options.ts"
import { type ListQuery, type NewPet, type Page, type Pet, petFields, queryFields } from "../Pet.ts"
import * as Checks from "./Checks.ts"
import { headersOnce, nextOf, type Operation } from "./Operation.ts"

/** The errors that not all operations have, by `operationId`. Calls with Effect are typed by them. */
export const ownErrors = {
  listPets: [Errors.InvalidParameter],
  createPet: [
    Errors.MalformedJson,
    Errors.InvalidBody,
    Errors.PayloadTooLarge,
    Errors.UnsupportedMediaType,
    Errors.IdempotencyKeyReused
  ],
  getPet: [Errors.PetNotFound, Errors.Gone]
} as const

/** The `operationId` of an operation. */
export type OperationName = keyof typeof ownErrors

/** The errors that only this operation has. */
export type OwnError<Name extends OperationName> = InstanceType<(typeof ownErrors)[Name][number]>

/** What a call of this operation can fail with. */
export type OperationError<Name extends OperationName> =
  | Exclude<Errors.PetStoreError, OwnError<OperationName>>
  | OwnError<Name>

/** The error as one of this operation: an answer with an error of another one is an `UnknownError`. */
export const errorOf = <Name extends OperationName>(
  name: Name,
  error: Errors.Failure<string>
): OperationError<Name> => {
  const isAmong = (classes: ReadonlyArray<{ readonly code: string }>) =>
    classes.some(({ code }) => code === error.code)
  if (!isAmong(ownErrors[name]) && Object.values(ownErrors).some(isAmong))
    return new Errors.UnknownError(`${error.code}: ${error.message}`, { ...error, cause: error })
  // It is one of this operation, or of all.
  return error as OperationError<Name>
}

/** Pets of a newer service may have another status. */
const answerFields = { id: Checks.int64, ...petFields, status: Checks.optional(Checks.text) }

/** The pet in an answer, of parsed JSON; throws if it is none. */
const decodePet = (value: unknown): Pet =>
  // Each of its fields was checked.
  Checks.checked("the answer", answerFields, value) as unknown as Pet

/** One page of pets. `seen` has where the earlier pages of a walk started. */
export const listPets = (
  query: ListQuery,
  seen = new Set<string | undefined>()
): Operation<Page, "listPets"> => {
  const { after, ...parameters } = Checks.checked("the query", queryFields, query)
  if (after) {
    parameters["cursor"] = after
    seen.add(after)
  }
  return {
    name: "listPets",
    path: `/pets?${new URLSearchParams(parameters)}`,
    decode: (body, link) => {
      if (!Array.isArray(body)) return Checks.refuse("the answer", "be an array")
      const next = nextOf(link)
      // Otherwise a walk over all pages would never end.
      if (seen.has(next)) Checks.refuse("the next page", "not be an earlier one")
      return { pets: body.map(decodePet), next }
    }
  }
}

/** The table of operations besides lists, by resource. Both forms of the client have a method for each. */
export const operations = {
  pets: {
    /** Adds a pet. Each call may add another pet, unless `idempotencyKey` is given. */
    add: (pet: NewPet, options: Idempotency): Operation<Pet, "createPet"> => ({
      name: "createPet",
      path: "/pets",
      method: "POST",
      body: stringify(Checks.checked("the pet", petFields, pet)),
      headers: headersOnce(options),
      decode: decodePet
    }),
    /**
     * Gets a pet by its id.
     *
     * @deprecated The service removes this operation on 5 December 2030: list pets instead.
     */
    get: (id: bigint | number): Operation<Pet, "getPet"> => ({
      name: "getPet",
      path: `/pets/${Checks.int64("id", id)}`,
      decode: decodePet
    })
  }
}

/** The types of the operations, of which those of the methods are made. */
export type Operations = typeof operations
