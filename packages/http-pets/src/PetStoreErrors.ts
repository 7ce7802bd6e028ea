/** The errors of the Pet Store: those that any API has, and its own. */
import * as ErrorBody from "@petstore/http-transport/ErrorBody"

/** Makes the bodies and the schemas of errors. */
export const errors = ErrorBody.define({
  pet_not_found: {
    status: 404,
    meaning: "There is no such pet",
    example: "there is no pet 7"
  },
  idempotency_key_reused: {
    status: 422,
    meaning: "The key was used with another body",
    advice: "use a new key for another pet",
    example: "this Idempotency-Key was used with another body: use a new one for another pet"
  },
  ...ErrorBody.errors,
  invalid_body: {
    ...ErrorBody.errors.invalid_body,
    example:
      "name is required; categoryId must be an integer; status must be one of available, pending, sold"
  },
  not_found: {
    ...ErrorBody.errors.not_found,
    advice: "check the address, and that it starts with `/v1`"
  }
})

/** The code of an error. */
export type ErrorCode = keyof typeof errors.table

/** What there is to say about each error, in the order of their statuses. */
export const listed = Object.entries<ErrorBody.Entry>(errors.table)
  .map(([code, entry]) => ({ code, ...entry }))
  .sort((one, other) => one.status - other.status)
