/** Pets and pages of them, and how they are checked. */
import { type Check, checked, int64, oneOf, optional, text } from "./internal/Checks.ts"

/** The three states of availability. */
export const petStatuses = ["available", "pending", "sold"] as const

/** The availability of a pet. */
export type PetStatus = (typeof petStatuses)[number]

/** A pet to add. */
export interface NewPet {
  /** Any text but the empty one, without U+0000 and lone surrogates. */
  readonly name: string
  /** A 64-bit integer. A `number` must be a safe integer; use a `bigint` beyond. */
  readonly categoryId: bigint | number
  readonly status?: PetStatus | undefined
}

/** A pet of the catalogue. */
export interface Pet {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  /** One of `petStatuses`, or one of a newer service. */
  readonly status?: PetStatus | OtherStatus
}

/** A status that this version of the client does not know. */
export type OtherStatus = string & Record<never, never>

/** Which pets to list. */
export interface ListQuery {
  /** Only pets of this status. */
  readonly status?: PetStatus | undefined
  /** The largest number of pets on a page, 1 to 100; the service's default is 20. */
  readonly limit?: number | undefined
  /** Where to continue: the `next` of a page. */
  readonly after?: string | undefined
}

/** Pets by ascending id. */
export interface Page {
  readonly pets: ReadonlyArray<Pet>
  /** Where the next page starts, if more pets follow: the `after` of its query. */
  readonly next: string | undefined
}

/** How the fields of a pet are checked. @internal */
export const petFields: { readonly [Name in keyof NewPet]-?: Check } = {
  name: text,
  categoryId: int64,
  status: optional((name, value) => oneOf(name, value, petStatuses))
}

/** A pet to add, with its fields in order; throws if one is invalid. @internal */
export const checkPet = (value: unknown): NewPet =>
  // Each of its fields was checked.
  checked("the pet", petFields, value) as unknown as NewPet

/** Pets of a newer service may have another status. */
const answerFields = { id: int64, ...petFields, status: optional(text) }

/** The pet in an answer, of parsed JSON; throws if it is none. @internal */
export const decodePet = (value: unknown): Pet =>
  // Each of its fields was checked.
  checked("the answer", answerFields, value) as unknown as Pet
