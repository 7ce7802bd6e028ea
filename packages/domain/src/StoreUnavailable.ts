/** The failure that every operation of a store may have. */
import * as Schema from "effect/Schema"

/** Why a store could not do what it was asked. Nothing was changed, and a later try may succeed. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  reason: Schema.Literal("busy", "full", "read-only", "damaged", "incompatible", "down"),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return `the store is ${this.reason}`
  }
}
