/** The driving port for pets, and its use cases. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { PetStore } from "./PetStore.ts"

/** The catalogue of pets, as its callers use it: each use case is an operation of the store. */
export class Pets extends Context.Tag("@petstore/domain/Pets")<
  Pets,
  Pick<PetStore["Type"], "list" | "add" | "addAll" | "get">
>() {}

/** The use cases, on the store that is provided. */
export const layer: Layer.Layer<Pets, never, PetStore> = Layer.effect(Pets, PetStore)
