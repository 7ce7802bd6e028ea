/** Adds that a caller may repeat: one pet is added. */
import * as Schema from "effect/Schema"
import type { Pet } from "./Pet.ts"

/** Identifies an add when it is repeated. */
export interface Idempotency {
  /** Unique to one add of one caller; a store keeps it as it is. */
  readonly key: string
  /** When this add was asked for, in milliseconds since the beginning of 1970 in UTC. */
  readonly at: number
  /** Keys used at or before this time have expired. */
  readonly expiredUpTo: number
}

/** A pet that was added. */
export interface Added {
  readonly pet: Pet
  /** Whether an earlier add with the key had added it. */
  readonly isRepeat: boolean
}

/** How long a key is kept, in milliseconds: a day. */
export const lifetime = 86_400_000

/** An add with this key at this time. */
export const make = (key: string, at: number): Idempotency => ({
  key,
  at,
  expiredUpTo: at - lifetime
})

/** The key was used for another pet. */
export class IdempotencyRefused extends Schema.TaggedError<IdempotencyRefused>()(
  "IdempotencyRefused",
  {}
) {
  override get message(): string {
    return "the idempotency key was used for another pet"
  }
}
