/** Pages of the catalogue. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fromRow, type Pet, type PetId, type Row } from "./Pet.ts"
import type { PetStatus } from "./PetStatus.ts"

/** The greatest limit. */
export const maxLimit = 100

/** The largest number of pets on a page. */
export const PageLimit = Schema.Int.pipe(Schema.between(1, maxLimit), Schema.brand("PageLimit"))
export type PageLimit = typeof PageLimit.Type

/** The limit when none is given. */
export const defaultLimit: PageLimit = PageLimit.make(20)

/** Which pets to list: those of one status or all, after an id or from the first. */
export interface ListPets {
  readonly limit: PageLimit
  readonly status?: PetStatus
  readonly after?: PetId
}

/** Pets by ascending id and, when more follow, the id to continue after. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>
  readonly next: Option.Option<PetId>
}

/** The page in these rows, of which one more than the limit was read, to know whether more follow. Throws as `fromRow`. */
export const pageOf = (rows: ReadonlyArray<Row>, limit: number): PetPage => {
  const pets = rows.slice(0, limit).map(fromRow)
  const last = rows.length > limit ? pets.at(-1) : undefined
  return { pets, next: Option.fromNullable(last?.id) }
}
