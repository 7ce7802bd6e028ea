/** Imports pets, all or none, on a thread. */
import { PetId } from "@petstore/domain/Pet"
import { type Arrival, IdsTaken } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { valuesOf } from "@petstore/store-sql/PetRow"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Order, Outcome, Row } from "./ImportThread.ts"
import * as Thread from "./Thread.ts"

/** Imports all of these pets, or none. */
export const run = <E>(
  filename: string,
  pets: Stream.Stream<Arrival, E>
): Effect.Effect<number, E | IdsTaken | StoreUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const thread = Thread.start<Order, Outcome>("./ImportThread.js", filename)
      // Waits for the thread, so that nothing is written after an interruption.
      yield* Effect.addFinalizer(() => thread.close)
      const ask = (order: Order) =>
        Effect.async<Outcome, StoreUnavailable>((resume) => thread.ask(order, resume))
      yield* pets.pipe(
        // While the thread stages one chunk, the next ones are read.
        Stream.bufferChunks({ capacity: 4 }),
        Stream.runForEachChunk((chunk) => ask(Chunk.toReadonlyArray(chunk).map(rowOf))),
        Effect.interruptible
      )
      // Uninterruptible from here; the caller gets the outcome.
      const outcome = yield* ask("commit")
      if ("added" in outcome) return outcome.added
      const taken = outcome.taken.map(({ id, place }) => ({ place, id: PetId.make(id) }))
      return yield* new IdsTaken({ taken, count: outcome.count })
    })
  ).pipe(Effect.uninterruptible)

const rowOf = ({ pet, place }: Arrival): Row => [place, pet.id ?? null, ...valuesOf(pet)]
