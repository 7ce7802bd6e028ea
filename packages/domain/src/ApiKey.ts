/** API keys as the service knows them: by a digest, never by their text. */
import * as Schema from "effect/Schema"

/** What a key allows its bearer to do. */
export const Scope = Schema.Literal("pets:read", "pets:write")
/** What a key allows its bearer to do. */
export type Scope = typeof Scope.Type

/** Both scopes. */
export const allScopes: ReadonlyArray<Scope> = Scope.literals

/** The public part of a key: it names the key to people and in lists. */
export const KeyId = Schema.String.pipe(
  Schema.pattern(/^[0-9a-v]{10}$/, {
    message: () => "must be ten digits or letters from a to v, as behind pet_ in a key"
  }),
  Schema.brand("KeyId")
)
/** The public part of a key. */
export type KeyId = typeof KeyId.Type

/** The SHA-256 digest of a key's text, in hexadecimal. */
export const KeyDigest = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{64}$/),
  Schema.brand("KeyDigest")
)
/** The SHA-256 digest of a key's text, in hexadecimal. */
export type KeyDigest = typeof KeyDigest.Type

/** What a key is for, in its owner's words. */
export const KeyName = Schema.String.pipe(
  Schema.filter(
    (name) =>
      (name.trim() !== "" && name.length <= 100 && /^\P{C}+$/u.test(name)) ||
      "must be 1 to 100 visible characters"
  ),
  Schema.brand("KeyName")
)
/** What a key is for. */
export type KeyName = typeof KeyName.Type

/** The last moment that dates can tell, in the year 275760. */
export const latest = 8_640_000_000_000_000

/** A moment, in milliseconds since the beginning of 1970 in UTC. */
export const Instant = Schema.Int.pipe(Schema.between(-latest, latest), Schema.brand("Instant"))
/** A moment. */
export type Instant = typeof Instant.Type

/** Whom a request comes from, and what they may do. */
export interface Grant {
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
  /** From when on the key that took its place is alone. */
  retires: Schema.optionalWith(Instant, { exact: true }),
  /** When it was revoked, which ends it whatever the clock says. */
  revoked: Schema.optionalWith(Instant, { exact: true }),
  lastUsed: Schema.optionalWith(Instant, { exact: true })
})
/** A key that was issued. */
export type ApiKey = typeof ApiKey.Type

type Ends = Pick<ApiKey, "expires" | "retires" | "revoked">

/** When a key stops to open anything, if ever. To be revoked is to have stopped for good. */
export const endOf = ({ expires, retires, revoked }: Ends): number =>
  revoked === undefined
    ? Math.min(expires ?? Number.POSITIVE_INFINITY, retires ?? Number.POSITIVE_INFINITY)
    : Number.NEGATIVE_INFINITY

/** How a key stands: only an active one opens anything. */
export type KeyState = "active" | "expired" | "rotated" | "revoked"

/** How a key stands at this moment. */
export const stateAt = (key: Ends, now: number): KeyState => {
  if (key.revoked !== undefined) return "revoked"
  if (endOf(key) > now) return "active"
  return key.retires !== undefined && key.retires <= now ? "rotated" : "expired"
}

/** No key that is good for anything has this digest. */
export class UnknownApiKey extends Schema.TaggedError<UnknownApiKey>()("UnknownApiKey", {}) {
  override get message() {
    return "the API key is not known"
  }
}
