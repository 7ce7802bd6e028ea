/** Calls a service of your own, from a table of its operations. */
export * from "./Client.ts"
export * from "./Deprecation.ts"
export * from "./Errors.ts"
export { failure, isFailure } from "./Failure.ts"
export {
  anyText,
  array,
  between,
  type Check,
  type Checked,
  int64,
  matching,
  nullable,
  number,
  oneOf,
  optional,
  refuse,
  struct,
  text
} from "./internal/Checks.ts"
export {
  type AnyPage,
  cursor,
  defineService,
  type ItemOf,
  idempotencyKeyOf,
  type List,
  type Make,
  nextOf,
  type Operation,
  type Service,
  searchOf,
  type Table
} from "./internal/Operation.ts"
export { type Operations, petStore } from "./internal/Operations.ts"
export * from "./Json.ts"
export type * from "./Options.ts"
export type * from "./Pet.ts"
export * from "./TextIds.ts"
