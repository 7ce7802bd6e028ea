/** The ids that a file has assigned. */
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import type * as Effect from "effect/Effect"
import * as Connection from "./internal/Connection.ts"
import * as LastId from "./internal/LastId.ts"

/** Blocks the event loop while another process holds the lock. */
const options = { fileMustExist: true, timeout: 5000 }

/** The greatest id that was ever assigned, also to a pet that is gone; 0 for none. */
export const last = (filename: string): Effect.Effect<PetId, StoreUnavailable> =>
  Connection.use(filename, options, (database) => PetId.make(LastId.read(database)))

/** Never assigns this id or a lower one again. */
export const raise = (filename: string, id: PetId): Effect.Effect<void, StoreUnavailable> =>
  Connection.use(filename, options, (database) => {
    database.exec("PRAGMA synchronous = FULL")
    database.transaction(() => LastId.raise(database, id), "BEGIN IMMEDIATE")
  })
