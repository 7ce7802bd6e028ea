/** The laws that every store of pets obeys: by subject, each with a name to refer to, and all together. */
import * as ConcurrencyLaws from "./internal/ConcurrencyLaws.ts"
import * as ConcurrentImportLaws from "./internal/ConcurrentImportLaws.ts"
import * as DurabilityLaws from "./internal/DurabilityLaws.ts"
import * as IdempotencyDurabilityLaws from "./internal/IdempotencyDurabilityLaws.ts"
import * as IdempotencyLaws from "./internal/IdempotencyLaws.ts"
import * as ImportFailureLaws from "./internal/ImportFailureLaws.ts"
import * as ImportLaws from "./internal/ImportLaws.ts"
import * as InterruptionLaws from "./internal/InterruptionLaws.ts"
import * as KeepingLaws from "./internal/KeepingLaws.ts"
import * as LastIdLaws from "./internal/LastIdLaws.ts"
import * as ModelLaw from "./internal/ModelLaw.ts"
import * as PagingLaws from "./internal/PagingLaws.ts"
import type { Law } from "./Law.ts"

/** One pet. */
export const keeping = KeepingLaws.laws

/** Lists. */
export const paging = PagingLaws.laws

/** Many callers at once. */
export const concurrency = ConcurrencyLaws.laws

/** Adds that are repeated. */
export const idempotency = IdempotencyLaws.laws

/** Imports that succeed. */
export const imports = ImportLaws.laws

/** Imports that fail. */
export const failingImports = ImportFailureLaws.laws

/** Imports while others read and write. */
export const concurrentImports = ConcurrentImportLaws.laws

/** The greatest id. */
export const lastId = LastIdLaws.laws

/** Random operations, compared with a model. */
export const randomOperations: Law = ModelLaw.law

/** Durable stores. */
export const durability = { ...DurabilityLaws.laws, ...IdempotencyDurabilityLaws.laws }

/** Calls that are interrupted in durable stores. */
export const interruption = InterruptionLaws.laws

/** Stores that several processes open at once. */
export const sharing = IdempotencyDurabilityLaws.sharedLaws

/** The laws of every store of pets, each on a store that is empty at first. */
export const laws: ReadonlyArray<Law> = [
  ...Object.values(keeping),
  ...Object.values(paging),
  ...Object.values(concurrency),
  ...Object.values(idempotency),
  ...Object.values(imports),
  ...Object.values(failingImports),
  ...Object.values(concurrentImports),
  ...Object.values(lastId),
  randomOperations
]

/** The additional laws of a durable store of pets. */
export const durableLaws: ReadonlyArray<Law> = [
  ...Object.values(durability),
  ...Object.values(interruption)
]

/** The additional laws of a durable store of pets that several processes open at once. */
export const sharedLaws: ReadonlyArray<Law> = Object.values(sharing)
