/** The driving port for API keys, and its use cases. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import {
  type ApiKey,
  type ApiKeyRefused,
  type Grant,
  Instant,
  type KeyDigest,
  KeyId,
  latest
} from "./ApiKey.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import * as KeyDirectory from "./internal/KeyDirectory.ts"
import { KeyMaker } from "./KeyMaker.ts"

export type { Options } from "./internal/KeyDirectory.ts"

/** No key has this id. */
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {
  id: KeyId
}) {
  override get message() {
    return `there is no key ${this.id}`
  }
}

/** The key has expired, or was revoked or rotated before, so it cannot be rotated. */
export class ApiKeyEnded extends Schema.TaggedError<ApiKeyEnded>()("ApiKeyEnded", { id: KeyId }) {
  override get message() {
    return `the key ${this.id} has expired, was revoked or was rotated before`
  }
}

/** A key to issue; without a lifetime it never expires. */
export interface NewApiKey extends Pick<ApiKey, "name" | "scopes"> {
  readonly lifetime?: Duration.Duration
}

/** A key that was just issued, and its text, which is stored nowhere. */
export interface IssuedKey {
  readonly key: ApiKey
  readonly text: Redacted.Redacted
}

/** A key that was just issued in place of another. */
export interface RotatedKey extends IssuedKey {
  /** The key that it replaces, with its new end. */
  readonly replaced: ApiKey
}

/** The keys that the service accepts. A change is in force within two seconds, in every server. */
export class ApiKeys extends Context.Tag("@petstore/access/ApiKeys")<
  ApiKeys,
  {
    /**
     * What the key with this digest allows. Called on every request, and returns an `Exit` from memory. It waits for the next
     * read of the store if the last one is more than a second old, as after a suspension, or if the key is unknown and may be
     * new. There are a few such reads a second.
     */
    readonly authenticate: (
      digest: KeyDigest,
      mayBeNew?: () => boolean
    ) => Effect.Effect<Grant, ApiKeyRefused>
    /** Whether keys can be checked. If the store could not be read for a minute, its keys are refused as outdated. */
    readonly isCurrent: () => boolean
    /** How long ago the store was read. */
    readonly age: () => Duration.Duration
    /** How many keys expire within this time. Revoked and rotated ones do not count. */
    readonly countExpiring: (within: Duration.Duration) => number
    /** Issues a key. */
    readonly issue: (request: NewApiKey) => Effect.Effect<IssuedKey, StoreUnavailable>
    /** Issues a key if the store has none, not even an ended one. */
    readonly issueFirst: (
      request: NewApiKey
    ) => Effect.Effect<Option.Option<IssuedKey>, StoreUnavailable>
    /** Every key that was issued, the oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
    /** Revokes a key. It cannot be undone. */
    readonly revoke: (id: KeyId) => Effect.Effect<ApiKey, ApiKeyNotFound | StoreUnavailable>
    /** Replaces a key; the old one works until it expires or the overlap ends. */
    readonly rotate: (
      id: KeyId,
      overlap: Duration.Duration
    ) => Effect.Effect<RotatedKey, ApiKeyNotFound | ApiKeyEnded | StoreUnavailable>
  }
>() {}

const make = (options: KeyDirectory.Options) =>
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const maker = yield* KeyMaker
    const directory = yield* KeyDirectory.make(store, options)
    const now = Effect.map(Clock.currentTimeMillis, (millis) => Instant.make(millis))

    const create = ({ lifetime, name, scopes }: NewApiKey) =>
      Effect.gen(function* () {
        const { digest, id, text } = yield* maker.make
        const created = yield* now
        const expires = lifetime && { expires: later(created, lifetime) }
        const key: ApiKey = { id, name, digest, scopes, created, ...expires }
        return { key, text }
      })
    const find = (id: KeyId) =>
      Effect.gen(function* () {
        const key = (yield* store.list).find((one) => one.id === id)
        return key ?? (yield* new ApiKeyNotFound({ id }))
      })

    const issue = (request: NewApiKey): Effect.Effect<IssuedKey, StoreUnavailable> =>
      Effect.gen(function* () {
        const issued = yield* create(request)
        // An id of fifty random bits is hardly ever taken.
        if (!(yield* store.add(issued.key))) return yield* issue(request)
        return issued
      })

    return ApiKeys.of({
      ...directory,
      issue,
      issueFirst: (request) =>
        Effect.gen(function* () {
          const issued = yield* create(request)
          return (yield* store.addFirst(issued.key)) ? Option.some(issued) : Option.none()
        }),
      list: store.list,
      revoke: (id) =>
        Effect.gen(function* () {
          yield* store.revoke(id, yield* now)
          return yield* find(id)
        }),
      rotate: (id, overlap) =>
        Effect.gen(function* () {
          const old = yield* find(id)
          const { created, expires, name, scopes } = old
          const lifetime = expires && { lifetime: Duration.millis(expires - created) }
          const issued = yield* create({ name, scopes, ...lifetime })
          const until = later(issued.key.created, overlap)
          const isReplaced = yield* store.replace({ id, until, by: issued.key })
          if (!isReplaced) return yield* new ApiKeyEnded({ id })
          return { ...issued, replaced: { ...old, retires: until } }
        })
    })
  })

const later = (instant: Instant, duration: Duration.Duration): Instant =>
  Instant.make(Math.min(instant + Duration.toMillis(duration), latest))

/** The use cases, on the store that is provided, which is busy if it does not give its keys within ten seconds. */
export const layer = (
  options: KeyDirectory.Options = {}
): Layer.Layer<ApiKeys, StoreUnavailable, ApiKeyStore | KeyMaker> =>
  Layer.scoped(ApiKeys, make(options))
