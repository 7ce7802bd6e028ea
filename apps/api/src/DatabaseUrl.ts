/** `DATABASE_URL`: which store to use, and where it is. */
import type { PetStore, StoreUnavailable } from "@petstore/domain/PetStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import * as SqlitePetStore from "@petstore/store-sqlite/SqlitePetStore"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"

/** What a store may use, whichever it is. */
export interface Limits {
  /** How many bytes of pages it may keep in memory. */
  readonly cacheBytes: number
}

/** A store as the environment names it. */
export interface DatabaseUrl {
  readonly url: string
  readonly layer: (limits: Limits) => Layer.Layer<PetStore, StoreUnavailable>
}

/** Each scheme with the store that it names; `rest` is what follows the colon. */
const stores: Readonly<Record<string, (rest: string) => DatabaseUrl["layer"] | undefined>> = {
  memory: (rest) => (rest === "" ? () => MemoryPetStore.layer : undefined),
  sqlite: (rest) => {
    const filename = rest.replace(/^\/\/(?=\/)/, "")
    return filename === "" || filename.startsWith(":") || filename.startsWith("//")
      ? undefined
      : ({ cacheBytes }) => SqlitePetStore.layer({ filename, cacheBytes })
  }
}

/** The store that a URL names, or how to write one. */
export const parse = (url: string): Either.Either<DatabaseUrl, string> => {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/s.exec(url) ?? []
  const layer = Object.hasOwn(stores, scheme) ? stores[scheme]?.(rest) : undefined
  return layer === undefined
    ? Either.left(`must be memory: or sqlite:<file>, not "${url}"`)
    : Either.right({ url, layer })
}

/** The store of a service that was told none. */
export const standard: DatabaseUrl = Either.getOrThrow(parse("sqlite:data/petstore.db"))
