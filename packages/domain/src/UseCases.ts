/** The use cases of all resources. */
import type * as Layer from "effect/Layer"
import type { PetStore } from "./PetStore.ts"
import * as Pets from "./Pets.ts"

/** What a transport drives. */
export type UseCases = Pets.Pets

/** What all use cases need. */
export type Stores = PetStore

/** All use cases, on the stores that are provided. */
export const layer: Layer.Layer<UseCases, never, Stores> = Pets.layer
