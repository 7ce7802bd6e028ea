/** The stores of pets and keys in memory. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetStore } from "@petstore/domain/PetStore"
import * as Layer from "effect/Layer"
import * as MemoryApiKeyStore from "./MemoryApiKeyStore.ts"
import * as MemoryPetStore from "./MemoryPetStore.ts"

/** New, empty stores each time this is built. */
export const layer: Layer.Layer<PetStore | ApiKeyStore> = Layer.merge(
  MemoryPetStore.layer,
  MemoryApiKeyStore.layer
)
