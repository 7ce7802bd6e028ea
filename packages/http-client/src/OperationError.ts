/** Which errors each operation can have, with Effect, where calls are typed by them. */
import * as Errors from "./Errors.ts"
import { type OperationName, ownErrors } from "./internal/Operations.ts"

export type { OperationName }

/** The errors that only this operation has. */
export type OwnError<Name extends OperationName> = InstanceType<(typeof ownErrors)[Name][number]>

/** What a call of this operation can fail with. */
export type OperationError<Name extends OperationName> =
  | Exclude<Errors.PetStoreError, OwnError<OperationName>>
  | OwnError<Name>

/** The error as one of this operation: an answer with an error of another one is an `UnknownError`. */
export const errorOf = <Name extends OperationName>(
  name: Name,
  error: Errors.PetStoreError
): OperationError<Name> =>
  isOf(name, error)
    ? error
    : new Errors.UnknownError(`${error.code}: ${error.message}`, { ...error, cause: error })

const isOf = <Name extends OperationName>(
  name: Name,
  error: Errors.PetStoreError
): error is OperationError<Name> => {
  const isAmong = (classes: ReadonlyArray<abstract new (...input: never) => unknown>) =>
    classes.some((Known) => error instanceof Known)
  return isAmong(ownErrors[name]) || !Object.values(ownErrors).some(isAmong)
}
