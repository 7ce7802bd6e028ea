/** The ids that a database has assigned. */
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import type { Options } from "./internal/ConnectionOptions.ts"
import * as ConnectionPool from "./internal/ConnectionPool.ts"
import * as PostgresFailure from "./internal/PostgresFailure.ts"

/** The greatest id that was ever assigned, also to a pet that is gone; 0 for none. */
export const last = (options: Options): Effect.Effect<PetId, StoreUnavailable> =>
  ConnectionPool.use(options, (query) =>
    Effect.flatMap(query<[last: bigint]>("SELECT last FROM pet_ids"), ([row]) =>
      row === undefined
        ? PostgresFailure.make("damaged", "the table pet_ids has no row")
        : Effect.succeed(PetId.make(row[0]))
    )
  )

/** Never assigns this id or a lower one again. */
export const raise = (options: Options, id: PetId): Effect.Effect<void, StoreUnavailable> =>
  ConnectionPool.use(options, (query) =>
    Effect.asVoid(query("UPDATE pet_ids SET last = GREATEST(last, $1)", id))
  )
