/** Adoptions, and what a store of them must do. */
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Context, Data, type Effect, type Option, Schema } from "effect"

/** An adoption. */
export const Adoption = Schema.Struct({
  id: Schema.UUID,
  petId: PetId,
  adopter: Schema.String.pipe(Schema.pattern(/\S/, { message: () => "must not be blank" }))
}).annotations({ identifier: "Adoption" })
export type Adoption = typeof Adoption.Type

/** An adoption as callers ask for it. */
export const NewAdoption = Adoption.omit("id").annotations({ identifier: "NewAdoption" })

/** The pet has been adopted before. */
export class AlreadyAdopted extends Data.TaggedError("AlreadyAdopted") {}

/** Stores adoptions. */
export class AdoptionStore extends Context.Tag("adoptions/AdoptionStore")<
  AdoptionStore,
  {
    /** Adds an adoption, unless its pet has one. Once this succeeds, a durable store never loses it. */
    readonly add: (adoption: Adoption) => Effect.Effect<void, AlreadyAdopted | StoreUnavailable>
    /** The adoption with this id, if there is one. */
    readonly get: (id: string) => Effect.Effect<Option.Option<Adoption>, StoreUnavailable>
  }
>() {}
