/** Pages of the catalogue. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fields, type Pet, type PetId } from "./Pet.ts"

/** The greatest limit. */
export const maxLimit = 100

/** The largest number of pets on a page. */
export const PageLimit = Schema.Int.pipe(Schema.between(1, maxLimit), Schema.brand("PageLimit"))
export type PageLimit = typeof PageLimit.Type

/** The limit when none is given. */
export const defaultLimit: PageLimit = PageLimit.make(20)

/** A page ends with the pet that brings its text to this many bytes of JSON, even below its limit: no page is large. */
export const maxTextBytes = 262_144

/** Pets by ascending id and, when more follow, the id to continue after. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>
  readonly next: Option.Option<PetId>
}

/**
 * The page of this limit that begins with these pets, which a store has in order. Of what follows the page, this reads
 * only whether there is any. The array is frozen: a page may have several readers, who may keep what they derive from it.
 */
export const pageOf = <A>(
  following: Iterable<A>,
  limit: number,
  petOf: (one: A) => Pet
): PetPage => {
  const pets: Array<Pet> = []
  let bytes = 0
  for (const one of following) {
    if (pets.length === limit || bytes >= maxTextBytes) {
      return { pets: Object.freeze(pets), next: Option.fromNullable(pets.at(-1)?.id) }
    }
    const pet = petOf(one)
    pets.push(pet)
    bytes += textBytesOf(pet)
  }
  return { pets: Object.freeze(pets), next: Option.none() }
}

/** How many bytes the texts of a pet have in JSON, without quotes. */
const textBytesOf = (pet: Pet): number => {
  let bytes = 0
  for (const { name } of fields) {
    const value = pet[name]
    if (typeof value === "string") bytes += jsonLength(value)
  }
  return bytes
}

const jsonLength = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // Each half of a surrogate pair is two of the four bytes of its character.
    if (unit > 0x7f) bytes += unit <= 0x7ff || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
    else if (unit === 0x22 || unit === 0x5c) bytes += 1
    // JSON has short forms of five, such as \n, and writes others as \u0001.
    else if (unit < 0x20) bytes += unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 1 : 5
  }
  return bytes
}
