/** Why no server can be used, and whether one may be later. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as PostgresFailure from "./internal/PostgresFailure.ts"

/** None of the hosts is the primary. The cause of a `StoreUnavailable`. */
export class NoPrimary extends Error {
  /** Whether one may become it: it does not answer yet, or is to be promoted. */
  readonly mayAppear: boolean

  constructor(message: string, mayAppear: boolean) {
    super(message)
    this.mayAppear = mayAppear
  }
}

/** Whether a server may answer later. A wrong password or name does not become right. */
export const mayAppear = (error: StoreUnavailable): boolean =>
  error.cause instanceof NoPrimary ? error.cause.mayAppear : PostgresFailure.isAway(error)
