/** Reading the catalogue a page at a time. */
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Pet, PetId } from "./Pet.ts"
import { PetStatus } from "./PetStatus.ts"

/** How many animals one page may hold at most. */
export const PageLimit = Schema.Int.pipe(Schema.between(1, 100), Schema.brand("PageLimit"))
/** How many animals one page may hold at most. */
export type PageLimit = typeof PageLimit.Type

/** The limit of a caller who names none. */
export const defaultLimit: PageLimit = PageLimit.make(20)

/** Which animals to list: those of one status or all, beginning after an id or at the first. */
export const ListPets = Schema.Struct({
  limit: PageLimit,
  status: Schema.optionalWith(PetStatus, { exact: true }),
  after: Schema.optionalWith(PetId, { exact: true })
})
/** Which animals to list. */
export type ListPets = typeof ListPets.Type

/** Some animals by ascending id and, when more follow, the id to go on after. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>
  readonly next: Option.Option<PetId>
}
