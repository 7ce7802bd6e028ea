/** The ids that a file has assigned. */
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import type * as Effect from "effect/Effect"
import * as LastId from "./internal/LastId.ts"
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
  use(filename, ({ database }) => PetId.make(LastId.read(database)))

/** Never assigns this id or a lower one again. */
export const raise = (filename: string, id: PetId): Effect.Effect<void, StoreUnavailable> =>
  use(filename, ({ database, transaction }) => transaction(() => LastId.raise(database, id)))
