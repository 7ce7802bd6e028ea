/** Imports many pets at once, all or none, on a thread of its own. */
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

/** Which file, and how long to wait for its lock. */
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
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const giveUp = new Int32Array(new SharedArrayBuffer(4))
        const worker = new Worker(new URL("./ImportThread.js", import.meta.url), {
          workerData: { ...settings, giveUp }
        })
        let ended: Error | undefined
        let onEnd = (_: Error) => {}
        const end = (error: Error) => {
          ended ??= error
          onEnd(ended)
        }
        worker.on("error", end)
        worker.on("exit", () => end(new Error("the import thread has ended")))
        const ask = (order: Order) =>
          Effect.async<Exclude<Report, { failure: unknown }>, StoreUnavailable>((resume) => {
            onEnd = (error) => resume(Effect.fail(SqliteFailure.from(error)))
            if (ended !== undefined) return onEnd(ended)
            worker.once("message", (report: Report) =>
              resume(
                "failure" in report
                  ? Effect.fail(SqliteFailure.received(report.failure))
                  : Effect.succeed(report)
              )
            )
            worker.postMessage(order)
            // Waits for the thread, so that nothing is written any more once this has been interrupted.
            return Effect.async<void>((resume) => {
              Atomics.store(giveUp, 0, 1)
              onEnd = () => resume(Effect.void)
              worker.once("message", () => resume(Effect.void))
            })
          })
        return { worker, giveUp, ask }
      }),
      ({ giveUp, worker }) =>
        Effect.async<void>((resume) => {
          if (worker.threadId === -1) return resume(Effect.void)
          Atomics.store(giveUp, 0, 1)
          worker.once("exit", () => resume(Effect.void))
          worker.postMessage("close" satisfies Order)
        })
    ),
    ({ ask }) => ask
  )

const rowOf = ({ pet, place }: Arrival): Row => [place, pet.id ?? null, ...valuesOf(pet)]
