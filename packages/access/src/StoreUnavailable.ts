/** The failure that every operation of a store of keys may have. */
import * as Data from "effect/Data"

/**
 * Why a store could not do what it was asked. Nothing was changed, and a later try may succeed. It has
 * the tag and the fields of the error of the same name in `@petstore/domain`, so that a store of pets and
 * keys can fail with that one, and callers handle one failure.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly reason: "busy" | "full" | "damaged" | "incompatible" | "down"
  readonly cause?: unknown
}> {
  override get message() {
    return `the store is ${this.reason}`
  }
}
