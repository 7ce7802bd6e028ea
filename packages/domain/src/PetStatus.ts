/** The availability of a pet. */
import * as Schema from "effect/Schema"

/** The three states of availability. */
export const PetStatus = Schema.Literal("available", "pending", "sold").annotations({
  identifier: "PetStatus",
  description:
    "Availability status. It is optional: a pet that is added without one has none, no default is assumed, and " +
    "status filters never match it.",
  examples: ["available"],
  message: () => ({ message: "must be one of available, pending, sold", override: true })
})
export type PetStatus = typeof PetStatus.Type
