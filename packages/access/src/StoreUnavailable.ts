/** The error that every operation of a store of keys may fail with. */
import * as Data from "effect/Data"

/**
 * An operation of a store failed. Nothing was changed, and a retry may succeed. The error of this name in
 * `@petstore/domain` has the same tag and fields, so that stores can fail with either.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly reason: "busy" | "full" | "read-only" | "damaged" | "incompatible" | "down"
  readonly cause?: unknown
}> {
  override get message() {
    return `the store is ${this.reason}`
  }
}
