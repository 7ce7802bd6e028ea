/** What storage must do for keys: the driven port. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKey, Instant, KeyId } from "./ApiKey.ts"
import type { StoreUnavailable } from "./PetStore.ts"

/** A key that another one takes the place of. */
export interface Replacement {
  readonly id: KeyId
  /** When it retires. */
  readonly until: Instant
  /** The key that takes its place; it is created at the moment of the change. */
  readonly by: ApiKey
}

/** That a key was used. */
export interface Use {
  readonly id: KeyId
  readonly at: Instant
}

/**
 * Keeps keys, in the same database as the pets. Nothing that ended a key is ever taken back, in
 * whichever order changes arrive. Hold an implementation to that with `@petstore/store-testkit`.
 */
export class ApiKeyStore extends Context.Tag("@petstore/domain/ApiKeyStore")<
  ApiKeyStore,
  {
    /** Every key, by the time of its creation and then by id; the same array while nothing changes. */
    readonly list: Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
    /** Keeps a key; false when its id is taken. */
    readonly add: (key: ApiKey) => Effect.Effect<boolean, StoreUnavailable>
    /** Keeps a key if there is none at all yet; false when there is. */
    readonly addFirst: (key: ApiKey) => Effect.Effect<boolean, StoreUnavailable>
    /** Revokes a key at this moment, or at the earlier one that it was; false when there is none. */
    readonly revoke: (id: KeyId, at: Instant) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Retires a key and adds another in one step; false, and nothing done, when the key is revoked,
     * retired, expired or not there, or the id of the other is taken.
     */
    readonly replace: (replacement: Replacement) => Effect.Effect<boolean, StoreUnavailable>
    /** Notes when keys were last used; an earlier use than the one that is known changes nothing. */
    readonly noteUses: (uses: ReadonlyArray<Use>) => Effect.Effect<void, StoreUnavailable>
  }
>() {}
