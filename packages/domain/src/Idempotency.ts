/** Adds that a caller may repeat: however often, one pet is added. */
import * as Schema from "effect/Schema"

/** Identifies an add when it is repeated. */
export interface Idempotency {
  /** Unique to one add of one caller; a store keeps it as it is. */
  readonly key: string
  /** When this add was asked for, in milliseconds since the beginning of 1970 in UTC. */
  readonly at: number
}

/** How long a key is kept, in milliseconds: a day. */
export const lifetime = 86_400_000

/** Keys that were used up to this time have expired by now. */
export const expiredUpTo = (now: number): number => now - lifetime

/** The key was used for another pet, or for an add that is still in progress and cannot be waited for. */
export class IdempotencyRefused extends Schema.TaggedError<IdempotencyRefused>()(
  "IdempotencyRefused",
  { reason: Schema.Literal("other pet", "in progress") }
) {
  override get message(): string {
    return this.reason === "other pet"
      ? "the idempotency key was used for another pet"
      : "the first add with this idempotency key is in progress"
  }
}
