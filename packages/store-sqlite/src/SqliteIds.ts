/** The ids that a file has assigned. */
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as SqliteFailure from "./internal/SqliteFailure.ts"
import * as WriteConnection from "./internal/WriteConnection.ts"

/** Blocks the event loop while another process holds the lock. */
const busyMillis = 5000

const open = (filename: string) =>
  Effect.acquireRelease(
    SqliteFailure.attempt(() =>
      WriteConnection.open({ filename, busyMillis, giveUp: new Int32Array(1) })
    ),
    ({ database }) => Effect.sync(() => database.close())
  )

/** The greatest id that was ever assigned, also to a pet that is gone; 0 for none. */
export const last = (filename: string): Effect.Effect<PetId, StoreUnavailable> =>
  Effect.flatMap(open(filename), ({ database }) =>
    SqliteFailure.attempt(() =>
      PetId.make(
        database
          .prepare<[], bigint>("SELECT seq FROM sqlite_sequence WHERE name = 'pets'")
          .pluck()
          .get() ?? 0n
      )
    )
  ).pipe(Effect.scoped)

/** Assigns no id up to this one any more. */
export const raise = (filename: string, id: PetId): Effect.Effect<void, StoreUnavailable> =>
  Effect.flatMap(open(filename), ({ database, transaction }) =>
    SqliteFailure.attempt(() =>
      transaction(() => {
        // There is no row before the first pet.
        const raised = database.prepare(
          "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'"
        )
        if (raised.run(id).changes > 0) return
        database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id)
      })
    )
  ).pipe(Effect.scoped)
