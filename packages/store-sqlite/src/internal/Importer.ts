/** Imports pets, all or none, on a thread. */
import { Worker } from "node:worker_threads"
import { PetId } from "@petstore/domain/Pet"
import { type Arrival, IdsTaken } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Order, Report, Row } from "./ImportThread.ts"
import { valuesOf } from "./PetRow.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Settings as ConnectionSettings } from "./WriteConnection.ts"

/** The file, and how long to wait for its lock. */
export type Settings = Omit<ConnectionSettings, "giveUp">

/** Imports all of these pets, or none. */
export const run = <E>(
  settings: Settings,
  pets: Stream.Stream<Arrival, E>
): Effect.Effect<number, E | IdsTaken | StoreUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const ask = yield* start(settings)
      yield* pets.pipe(
        // While the thread stages one chunk, the next ones are read.
        Stream.bufferChunks({ capacity: 4 }),
        Stream.runForEachChunk((chunk) => ask(Chunk.toReadonlyArray(chunk).map(rowOf))),
        Effect.interruptible
      )
      // Uninterruptible from here; the caller gets the outcome.
      const report = yield* ask("commit")
      if ("added" in report) return report.added
      const taken = report.taken.map(({ id, place }) => ({ place, id: PetId.make(id) }))
      return yield* new IdsTaken({ taken, count: report.count })
    })
  ).pipe(Effect.uninterruptible)

/** Starts the thread, which ends with the scope. The result sends it one order at a time. */
const start = (settings: Settings) =>
  Effect.gen(function* () {
    const giveUp = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(new URL("./ImportThread.js", import.meta.url), {
      workerData: { ...settings, giveUp }
    })
    let cause: unknown = new Error("the import thread has ended")
    worker.on("error", (error) => {
      cause = error
    })
    // Waits for the thread, so that nothing is written any more after an interruption.
    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        if (worker.threadId === -1) return resume(Effect.void)
        Atomics.store(giveUp, 0, 1)
        worker.once("exit", () => resume(Effect.void))
        worker.postMessage("close" satisfies Order)
      })
    )
    return (order: Order) =>
      Effect.async<Exclude<Report, { failure: unknown }>, StoreUnavailable>((resume) => {
        const onExit = () => resume(Effect.fail(SqliteFailure.from(cause)))
        if (worker.threadId === -1) return onExit()
        worker.once("exit", onExit)
        worker.once("message", (report: Report) => {
          worker.off("exit", onExit)
          resume(
            "failure" in report
              ? Effect.fail(SqliteFailure.received(report.failure))
              : Effect.succeed(report)
          )
        })
        worker.postMessage(order)
      })
  })

const rowOf = ({ pet, place }: Arrival): Row => [place, pet.id ?? null, ...valuesOf(pet)]
