/** The ids that a database has assigned. */
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Cluster from "./internal/Cluster.ts"
import type { Options } from "./internal/ConnectionOptions.ts"
import * as PostgresFailure from "./internal/PostgresFailure.ts"

/** The greatest id that was ever assigned, also to a pet that is gone; 0 for none. */
export const last = (options: Options): Effect.Effect<PetId, StoreUnavailable> =>
  Effect.gen(function* () {
    const { query } = yield* Cluster.patientPool(options)
    const [row] = yield* query<[last: bigint]>("SELECT last FROM pet_ids")
    return row === undefined
      ? yield* PostgresFailure.make("damaged", "the table pet_ids has no row")
      : PetId.make(row[0])
  }).pipe(Effect.scoped)

/** Assigns no id up to this one any more. */
export const raise = (options: Options, id: PetId): Effect.Effect<void, StoreUnavailable> =>
  Effect.flatMap(Cluster.patientPool(options), ({ query }) =>
    query("UPDATE pet_ids SET last = GREATEST(last, $1)", id)
  ).pipe(Effect.asVoid, Effect.scoped)
