/** The client with promises. */
import { type Client, createClient, type ListOf } from "./Client.ts"
import { type Operations, petStore } from "./internal/Operations.ts"
import type { Options } from "./Options.ts"
import type { Page, Pet } from "./Pet.ts"

/** A list of pets. */
export interface PetList extends ListOf<Page, Pet> {}

/** A client of a Pet Store service, which rejects with a `PetStoreError`. */
export interface PetStore extends Client<Operations> {}

/** Makes a client; throws an `InvalidInput` if an option is missing or invalid. */
export const createPetStore = (options: Options): PetStore => createClient(petStore, options)
