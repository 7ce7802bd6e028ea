/** The availability of a pet. */
import * as Schema from "effect/Schema"

/** The three states of availability. */
export const PetStatus = Schema.Literal("available", "pending", "sold").annotations({
  identifier: "PetStatus",
  description:
    "Availability status. It is optional: an animal that is added without one has none, no default is assumed, and no " +
    "list that is filtered by status has the animal.",
  examples: ["available"],
  message: () => ({ message: "must be one of available, pending, sold", override: true })
})
export type PetStatus = typeof PetStatus.Type

const statuses: ReadonlySet<string> = new Set(PetStatus.literals)

/** Whether a text is a status; faster than the schema. */
export const isPetStatus = (text: string): text is PetStatus => statuses.has(text)
