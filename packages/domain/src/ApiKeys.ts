/** Who may call: the driving port for API keys. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** What a key allows its bearer to do. */
export const Scope = Schema.Literal("pets:read", "pets:write")
/** What a key allows its bearer to do. */
export type Scope = typeof Scope.Type

/** The SHA-256 digest of a key, in hexadecimal. Keys themselves never enter the domain. */
export const KeyDigest = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{64}$/),
  Schema.brand("KeyDigest")
)
/** The SHA-256 digest of a key, in hexadecimal. */
export type KeyDigest = typeof KeyDigest.Type

/** A key that is known, by its digest, and what it allows. */
export interface ApiKey {
  readonly digest: KeyDigest
  readonly scopes: ReadonlySet<Scope>
}

/** No key with this digest is known. */
export class UnknownApiKey extends Schema.TaggedError<UnknownApiKey>()("UnknownApiKey", {}) {
  override get message() {
    return "the API key is not known"
  }
}

/** The keys that open the service. */
export class ApiKeys extends Context.Tag("@petstore/domain/ApiKeys")<
  ApiKeys,
  {
    /** The key with this digest. Asked on every request, so it answers at once. */
    readonly authenticate: (digest: KeyDigest) => Effect.Effect<ApiKey, UnknownApiKey>
  }
>() {}

/** Both scopes. */
export const allScopes: ReadonlySet<Scope> = new Set(Scope.literals)

/** Exactly these keys. */
export const layer = (keys: Iterable<ApiKey>): Layer.Layer<ApiKeys> =>
  Layer.sync(ApiKeys, () => {
    const known = new Map(Array.from(keys, (key) => [key.digest, Effect.succeed(key)]))
    const unknown = Effect.fail(new UnknownApiKey())
    return ApiKeys.of({ authenticate: (digest) => known.get(digest) ?? unknown })
  })
