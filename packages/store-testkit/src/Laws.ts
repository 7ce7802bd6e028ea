/** The laws that every store obeys. */
import * as ConcurrencyLaws from "./ConcurrencyLaws.ts"
import * as DurabilityLaws from "./DurabilityLaws.ts"
import * as KeepingLaws from "./KeepingLaws.ts"
import type { Law } from "./Law.ts"
import * as ModelLaw from "./ModelLaw.ts"
import * as PagingLaws from "./PagingLaws.ts"

/** The laws of every store, each on a store that is empty at first. */
export const laws: ReadonlyArray<Law> = [
  ...KeepingLaws.laws,
  ...PagingLaws.laws,
  ...ConcurrencyLaws.laws,
  ModelLaw.law
]

/** The further laws of a store that keeps its pets when it is closed. */
export const durableLaws: ReadonlyArray<Law> = DurabilityLaws.laws
