/** The laws that every store of pets obeys. */
import * as ConcurrencyLaws from "./internal/ConcurrencyLaws.ts"
import * as ConcurrentImportLaws from "./internal/ConcurrentImportLaws.ts"
import * as DurabilityLaws from "./internal/DurabilityLaws.ts"
import * as ImportFailureLaws from "./internal/ImportFailureLaws.ts"
import * as ImportLaws from "./internal/ImportLaws.ts"
import * as KeepingLaws from "./internal/KeepingLaws.ts"
import * as LastIdLaws from "./internal/LastIdLaws.ts"
import * as ModelLaw from "./internal/ModelLaw.ts"
import * as PagingLaws from "./internal/PagingLaws.ts"
import type { Law } from "./Law.ts"

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

/** The additional laws of a durable store of pets. */
export const durableLaws: ReadonlyArray<Law> = DurabilityLaws.laws
