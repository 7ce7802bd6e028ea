/** Sample keys. */
import { ApiKey, Instant, KeyId, KeyName, latest } from "@petstore/access/ApiKey"
import * as Schema from "effect/Schema"
import { oddNames } from "./Samples.ts"

/** A moment this many milliseconds after one in 2023. */
export const noon = (plus = 0): Instant => Instant.make(1_700_000_000_000 + plus)

/** The nth id there is, and so a greater one than those before. */
export const keyId = (nth: number): KeyId => KeyId.make(nth.toString(32).padStart(10, "0"))

const decode = Schema.decodeSync(ApiKey)

/** The nth key; fields that are not given are ordinary or left out. Frozen, since a store must not change it. */
export const newKey = (nth: number, particulars: Partial<typeof ApiKey.Encoded> = {}): ApiKey =>
  Object.freeze(
    decode({
      id: keyId(nth),
      name: `key ${nth}`,
      digest: nth.toString(16).padStart(64, "0"),
      scopes: ["pets:read"],
      created: noon(nth),
      ...particulars
    })
  )

/** This many keys, the oldest first. */
export const newKeys = (count: number): ReadonlyArray<ApiKey> =>
  Array.from({ length: count }, (_, nth) => newKey(nth))

/** Every odd name that a key may have, and the longest there are. */
export const oddKeyNames: ReadonlyArray<string> = [
  ...oddNames.filter(Schema.is(KeyName)),
  "x".repeat(100),
  "🐈".repeat(50)
]

/** Every set of scopes, in every order. */
export const everyScopes: ReadonlyArray<ApiKey["scopes"]> = [
  ["pets:read"],
  ["pets:write"],
  ["pets:read", "pets:write"],
  ["pets:write", "pets:read"]
]

/** Moments that stores may round, wrap or take for none. */
export const edgeMoments: ReadonlyArray<number> = [
  -latest,
  -2147483649,
  -1,
  0,
  1,
  2147483648,
  noon(),
  latest
]
