/** The availability of a pet. */
import * as Schema from "effect/Schema"

/** The three states of availability. */
export const PetStatus = Schema.Literal("available", "pending", "sold").annotations({
  identifier: "PetStatus",
  description: "Availability status",
  message: () => ({ message: "must be one of available, pending, sold", override: true })
})
export type PetStatus = typeof PetStatus.Type

const statuses: ReadonlySet<string> = new Set(PetStatus.literals)

/** Whether a text is a status; faster than the schema. */
export const isPetStatus = (text: string): text is PetStatus => statuses.has(text)
