/** A law: a property that every store obeys, as a value. */
import type { PetStore } from "@petstore/domain/PetStore"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Mismatch, noAnswer } from "./Mismatch.ts"

/** A store does not obey a law; the cause is the result that shows it. */
export class LawBroken extends Data.TaggedError("LawBroken")<{
  readonly law: string
  readonly cause: Mismatch
}> {
  override get message() {
    return `the law "${this.law}" is broken: ${this.cause.message}`
  }
}

/**
 * Where a law finds its stores. Each run makes a new, empty place, removed when the scope closes; the
 * layer opens the store at that place and, for a durable store, can be built there again.
 */
export type Place<Store = PetStore> = Effect.Effect<
  Layer.Layer<Store, unknown>,
  unknown,
  Scope.Scope
>

/** A property that every store obeys. */
export interface Law<Store = PetStore> {
  /** The property, as a short sentence. */
  readonly name: string
  /** Whether it opens a store at a place where another is still open. */
  readonly opensTwice: boolean
  /** Fails when the stores of this place do not have the property. */
  readonly check: (place: Place<Store>) => Effect.Effect<void, LawBroken>
}

/** A law about one store, empty at first. A failure of the store that the body lets through breaks it. */
export const make = <Store>(name: string, body: Effect.Effect<void, unknown, Store>): Law<Store> =>
  makeAt<Store>(
    name,
    Effect.flatMap((layer) => Effect.provide(body, layer))
  )

/** A law that opens stores itself, as many places and as often as it needs. */
export const makeAt = <Store = PetStore>(
  name: string,
  body: (place: Place<Store>) => Effect.Effect<void, unknown, Scope.Scope>,
  { opensTwice = false }: { readonly opensTwice?: boolean } = {}
): Law<Store> => ({
  name,
  opensTwice,
  check: (place) =>
    Effect.catchAllCause(Effect.scoped(body(place)), (cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.interrupt : broken(name, Cause.squash(cause))
    )
})

const broken = (law: string, cause: unknown): LawBroken =>
  new LawBroken({ law, cause: cause instanceof Mismatch ? cause : noAnswer("the store", cause) })
