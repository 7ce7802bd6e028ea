/** The failure that every operation of a store may have. */
import * as Schema from "effect/Schema"

/**
 * Why a store could not do what it was asked. A later try may succeed. Nothing was changed, unless the store is down
 * because it lost its connection, or could not check its file, when it committed: then something may have been. An add
 * with an idempotency key can be repeated.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  reason: Schema.Literal("busy", "full", "read-only", "damaged", "incompatible", "down"),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return `the store is ${this.reason}`
  }
}

/** The cause of a store that is full because every id was assigned. */
export class NoIdLeft extends Error {
  constructor() {
    super("no id is left")
  }
}
