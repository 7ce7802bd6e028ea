/** Pets and pages of them. */
import * as Checks from "./internal/Checks.ts"

/** The three states of availability. */
export const petStatuses = ["available", "pending", "sold"] as const

/** The availability of a pet. */
export type PetStatus = (typeof petStatuses)[number]

/** A pet to add. */
export interface NewPet {
  /** Any text but the empty one, without U+0000 and lone surrogates, of at most 1,000 characters (Unicode code points). */
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

/** A check for each field. */
type Fields<A> = Readonly<Record<keyof A, Checks.Check<unknown>>>

const isStatus = Checks.optional(Checks.oneOf(petStatuses))

/**
 * The check of each field of a pet to add.
 * @internal
 */
export const petFields = {
  name: Checks.text,
  categoryId: Checks.int64,
  status: isStatus
} satisfies Fields<NewPet>

/**
 * The check of each parameter of a list.
 * @internal
 */
export const queryFields = {
  limit: Checks.optional(Checks.between(1, 100)),
  status: isStatus,
  /** Where a page starts, unless it is the first. */
  after: Checks.optional(Checks.matching(/./, "a cursor"))
} satisfies Fields<ListQuery>
