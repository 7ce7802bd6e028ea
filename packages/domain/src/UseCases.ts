/** The use cases of all resources. */
import type * as Layer from "effect/Layer"
import * as Pets from "./Pets.ts"

/** All use cases, on the stores that are provided. */
export const layer = Pets.layer

/** What transports and commands drive. */
export type UseCases = Layer.Layer.Success<typeof layer>

/** The stores that all use cases need. */
export type Stores = Layer.Layer.Context<typeof layer>
