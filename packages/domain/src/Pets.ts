/** The driving port for pets, and its use cases. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { PetStore } from "./PetStore.ts"

/** The catalogue of pets, as its callers use it. Every operation of the store is a use case as it is. */
export class Pets extends Context.Tag("@petstore/domain/Pets")<Pets, PetStore["Type"]>() {}

/** The use cases, on the store that is provided. */
export const layer: Layer.Layer<Pets, never, PetStore> = Layer.effect(Pets, PetStore)
