/** Which errors each operation can have, with Effect, where calls are typed by them. */
import * as Errors from "./Errors.ts"

/** The errors that not all operations have. */
const own = {
  listPets: [Errors.InvalidParameter],
  createPet: [
    Errors.MalformedJson,
    Errors.InvalidBody,
    Errors.PayloadTooLarge,
    Errors.UnsupportedMediaType,
    Errors.IdempotencyKeyReused
  ],
  getPet: [Errors.PetNotFound, Errors.Gone]
} as const

/** The `operationId` of an operation. */
export type OperationName = keyof typeof own

/** The errors that only this operation has. */
export type OwnError<Name extends OperationName> = InstanceType<(typeof own)[Name][number]>

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
): error is OperationError<Name> =>
  !Object.entries(own).some(
    ([other, classes]) => other !== name && classes.some((Known) => error instanceof Known)
  )
