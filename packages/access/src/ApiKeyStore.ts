/** The driven port for keys: what a store must do. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKey, Instant, KeyId } from "./ApiKey.ts"

/** A key and the one that replaces it. */
export interface Replacement {
  readonly id: KeyId
  /** When it retires. */
  readonly until: Instant
  /** The key that takes its place; it is created at the moment of the change. */
  readonly by: ApiKey
}

/** When a key was used. */
export interface Use {
  readonly id: KeyId
  readonly at: Instant
}

/** The keys that have changed since an earlier version of the store, or all of them. */
export interface KeyChanges {
  /**
   * Identifies this state of the keys and how it came about, so that a store that was set back to an earlier state and
   * changed in another way does not reach it again. Pass it to get what changes from here on.
   */
  readonly version: string
  /** The changed keys as they are now, in no particular order. */
  readonly keys: ReadonlyArray<ApiKey>
  /** Whether these are all the keys there are: any other key is gone. */
  readonly isAll: boolean
}

/**
 * Stores keys. Nothing that ended a key is ever undone, in any order of changes. Test an
 * implementation with `@petstore/store-testkit`.
 */
export class ApiKeyStore extends Context.Tag("@petstore/access/ApiKeyStore")<
  ApiKeyStore,
  {
    /** Every key, by the time of its creation and then by id. */
    readonly list: Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
    /**
     * The keys that have changed since this version; all of them without a version, or if the changes
     * are not known, such as after keys were removed or the store was set back. A use is not a change.
     */
    readonly changes: (since: string | undefined) => Effect.Effect<KeyChanges, StoreUnavailable>
    /** Adds a key; false when its id is taken. */
    readonly add: (key: ApiKey) => Effect.Effect<boolean, StoreUnavailable>
    /** Adds a key if the store has none; false if it has. */
    readonly addFirst: (key: ApiKey) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Takes over a key from another store: adds it as it is, or, if it is there already, lets the earlier
     * of two ends and the later of two uses hold. False, and nothing done, when a key with another digest
     * has its id.
     */
    readonly merge: (key: ApiKey) => Effect.Effect<boolean, StoreUnavailable>
    /** Revokes a key at this moment; an earlier revocation is kept. False when there is no such key. */
    readonly revoke: (id: KeyId, at: Instant) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Retires a key and adds another in one step; false, and nothing done, when the key is revoked,
     * retired, expired or not there, or the id of the other is taken.
     */
    readonly replace: (replacement: Replacement) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Records when keys were last used, all in one step. A use before the recorded one changes nothing,
     * unless the recorded one is later than now, because a clock was wrong.
     */
    readonly noteUses: (
      uses: ReadonlyArray<Use>,
      now: Instant
    ) => Effect.Effect<void, StoreUnavailable>
  }
>() {}
