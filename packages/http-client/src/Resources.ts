/** What the service keeps, as both forms of the client have it. */
export { parse, stringify } from "./Json.ts"
export {
  type ListQuery,
  type NewPet,
  type OtherStatus,
  type Page,
  type Pet,
  type PetStatus,
  petStatuses
} from "./Pet.ts"
