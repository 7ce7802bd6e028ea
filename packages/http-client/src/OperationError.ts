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
): OperationError<Name> => {
  const isAmong = (classes: ReadonlyArray<{ readonly code: string }>) =>
    classes.some(({ code }) => code === error.code)
  if (!isAmong(ownErrors[name]) && Object.values(ownErrors).some(isAmong))
    return new Errors.UnknownError(`${error.code}: ${error.message}`, { ...error, cause: error })
  // It is one of this operation, or of all.
  return error as OperationError<Name>
}
