/** Pages that are larger than what the system buffers of a few responses. */
import { Effect } from "effect"
import { expect } from "vitest"
import { connect } from "./Connection.ts"
import { create, operation, render } from "./Request.ts"

/** A request for the whole catalogue that `fill` makes. */
export const page = render({ target: "/v1/pets?limit=100" })

/** What the response to it exceeds. */
export const pageLength = 6_000_000

/** Adds a hundred pets with long names. */
export const fill = Effect.gen(function* () {
  const connection = yield* connect
  const large = render(create(`{"name":"${"n".repeat(60_000)}","categoryId":1}`))
  for (let at = 0; at < 100; at++) {
    yield* connection.send(large)
    yield* connection.receive(operation("POST /v1/pets"))
  }
})

/** Reads the catalogue on a connection of its own, and expects all of it. */
export const readPage = Effect.gen(function* () {
  const connection = yield* connect
  yield* connection.send(page)
  const { body, status } = yield* connection.receive(operation("GET /v1/pets"))
  expect({ status, isWhole: body.length > pageLength && body.endsWith("]") }).toEqual({
    status: 200,
    isWhole: true
  })
}).pipe(Effect.scoped)
