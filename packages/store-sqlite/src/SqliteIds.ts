/** The ids that a file has assigned. */
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type * as Effect from "effect/Effect"
import * as SqliteFailure from "./internal/SqliteFailure.ts"
import * as WriteConnection from "./internal/WriteConnection.ts"

/** Blocks the event loop while another process holds the lock. */
const busyMillis = 5000

const use = <A>(filename: string, body: (connection: WriteConnection.WriteConnection) => A) =>
  SqliteFailure.attempt(() => {
    const connection = WriteConnection.open({ filename, busyMillis, giveUp: new Int32Array(1) })
    try {
      return body(connection)
    } finally {
      connection.database.close()
    }
  })

/** The greatest id that was ever assigned, also to a pet that is gone; 0 for none. */
export const last = (filename: string): Effect.Effect<PetId, StoreUnavailable> =>
  use(filename, ({ database }) => {
    const find = database.prepare<[], bigint>("SELECT seq FROM sqlite_sequence WHERE name = 'pets'")
    return PetId.make(find.pluck().get() ?? 0n)
  })

/** Assigns no id up to this one any more. */
export const raise = (filename: string, id: PetId): Effect.Effect<void, StoreUnavailable> =>
  use(filename, ({ database, transaction }) =>
    transaction(() => {
      const raise = database.prepare(
        "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'"
      )
      if (raise.run(id).changes > 0) return
      // There is no row before the first pet.
      database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)").run(id)
    })
  )
