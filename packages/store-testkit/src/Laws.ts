/** The laws that every store of pets obeys. */
import * as ConcurrencyLaws from "./ConcurrencyLaws.ts"
import * as ConcurrentImportLaws from "./ConcurrentImportLaws.ts"
import * as DurabilityLaws from "./DurabilityLaws.ts"
import * as ImportFailureLaws from "./ImportFailureLaws.ts"
import * as ImportLaws from "./ImportLaws.ts"
import * as KeepingLaws from "./KeepingLaws.ts"
import * as LastIdLaws from "./LastIdLaws.ts"
import type { Law } from "./Law.ts"
import * as ModelLaw from "./ModelLaw.ts"
import * as PagingLaws from "./PagingLaws.ts"

/** The laws of every store of pets, each on a store that is empty at first. */
export const laws: ReadonlyArray<Law> = [
  ...KeepingLaws.laws,
  ...PagingLaws.laws,
  ...ConcurrencyLaws.laws,
  ...ImportLaws.laws,
  ...ImportFailureLaws.laws,
  ...ConcurrentImportLaws.laws,
  ...LastIdLaws.laws,
  ModelLaw.law
]

/** The further laws of a store that keeps its pets when it is closed. */
export const durableLaws: ReadonlyArray<Law> = DurabilityLaws.laws
