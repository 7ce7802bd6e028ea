/** Pages of the catalogue. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Pet, PetId } from "./Pet.ts"

/** The greatest limit. */
export const maxLimit = 100

/** The largest number of pets on a page. */
export const PageLimit = Schema.Int.pipe(Schema.between(1, maxLimit), Schema.brand("PageLimit"))
export type PageLimit = typeof PageLimit.Type

/** The limit when none is given. */
export const defaultLimit: PageLimit = PageLimit.make(20)

/** Pets by ascending id and, when more follow, the id to continue after. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>
  readonly next: Option.Option<PetId>
}

/**
 * The page of this limit, made of the pets that follow in a store: up to its limit, and one more if there is one. The array is
 * frozen: a page may have several readers, who may keep what they derive from it.
 */
export const pageOf = <A>(
  following: ReadonlyArray<A>,
  limit: number,
  petOf: (one: A) => Pet
): PetPage => {
  const pets = Object.freeze(following.slice(0, limit).map(petOf))
  const last = following.length > limit ? pets.at(-1)?.id : undefined
  return { pets, next: last === undefined ? Option.none() : Option.some(last) }
}
