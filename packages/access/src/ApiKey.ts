/** API keys, identified by a digest and never by their text. */
import * as Schema from "effect/Schema"

/** Something that a key allows its bearer to do: a word of the contract, without spaces. */
export const Scope = Schema.String.pipe(Schema.pattern(/^[!#-[\]-~]+$/))
export type Scope = typeof Scope.Type

/** The public part of a key, which identifies it in lists and logs. */
export const KeyId = Schema.String.pipe(
  Schema.pattern(/^[0-9a-v]{10}$/, {
    message: () => "must be ten digits or letters from a to v, as after pet_ in a key"
  }),
  Schema.brand("KeyId")
)
export type KeyId = typeof KeyId.Type

/** The SHA-256 digest of a key's text, in hexadecimal. */
export const KeyDigest = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{64}$/),
  Schema.brand("KeyDigest")
)
export type KeyDigest = typeof KeyDigest.Type

/** What a key is for, as its owner describes it. */
export const KeyName = Schema.String.pipe(
  Schema.filter(
    (name) =>
      (name.trim() !== "" && name.length <= 100 && /^\P{C}+$/u.test(name)) ||
      "must be 1 to 100 visible characters"
  ),
  Schema.brand("KeyName")
)
export type KeyName = typeof KeyName.Type

/** The last moment that a `Date` can represent, in the year 275760. */
export const latest = 8_640_000_000_000_000

/** A moment, in milliseconds since the beginning of 1970 in UTC. */
export const Instant = Schema.Int.pipe(Schema.between(-latest, latest), Schema.brand("Instant"))
export type Instant = typeof Instant.Type

/** What the bearer of a key may do. */
export interface Grant {
  /** The key's id; none for a key that was not issued but configured. */
  readonly id?: KeyId
  readonly digest: KeyDigest
  readonly scopes: ReadonlyArray<Scope>
}

/** A key that was issued. */
export const ApiKey = Schema.Struct({
  id: KeyId,
  name: KeyName,
  digest: KeyDigest,
  scopes: Schema.NonEmptyArray(Scope),
  created: Instant,
  expires: Schema.optionalWith(Instant, { exact: true }),
  /** When it stops working after another key replaced it. */
  retires: Schema.optionalWith(Instant, { exact: true }),
  /** When it was revoked. */
  revoked: Schema.optionalWith(Instant, { exact: true }),
  lastUsed: Schema.optionalWith(Instant, { exact: true })
})
export type ApiKey = typeof ApiKey.Type

/** What may end a key. */
export type Ends = Pick<ApiKey, "expires" | "retires" | "revoked">

/** When a key ends; infinity for never, minus infinity when it is revoked, whatever the clock says. */
export const endOf = ({ expires, retires, revoked }: Ends): number =>
  revoked === undefined
    ? Math.min(expires ?? Number.POSITIVE_INFINITY, retires ?? Number.POSITIVE_INFINITY)
    : Number.NEGATIVE_INFINITY

/** What two stores know about one key: the earlier ends and the later use. */
export const merged = (one: ApiKey, other: ApiKey): ApiKey => {
  const both = { ...other, ...one }
  const chosen = (field: "retires" | "revoked" | "lastUsed", choose: typeof Math.min) => {
    const at = both[field]
    return at === undefined ? {} : { [field]: Instant.make(choose(at, other[field] ?? at)) }
  }
  return {
    ...both,
    ...chosen("retires", Math.min),
    ...chosen("revoked", Math.min),
    ...chosen("lastUsed", Math.max)
  }
}

/** The state of a key at this moment; only an active key is accepted. */
export const stateAt = (key: Ends, now: number) => {
  if (key.revoked !== undefined) return "revoked"
  if (endOf(key) > now) return "active"
  return key.retires !== undefined && key.retires <= now ? "rotated" : "expired"
}

/** No active key has this digest, or it was not known for long whether the key is still active. */
export class ApiKeyRefused extends Schema.TaggedError<ApiKeyRefused>()("ApiKeyRefused", {
  reason: Schema.Literal("unknown", "expired", "rotated", "revoked", "outdated"),
  /** The id of a key that is known. */
  id: Schema.optionalWith(KeyId, { exact: true })
}) {
  override get message() {
    return `the API key is ${this.reason}`
  }
}
