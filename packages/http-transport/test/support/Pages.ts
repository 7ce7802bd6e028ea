/** Pages that are larger than what the system buffers of a few responses: of a single thing. */
import { Effect } from "effect"
import { expect } from "vitest"
import { connect } from "./Connection.ts"
import { operation, render } from "./Request.ts"
import { Shelf } from "./Things.ts"

/** A request for all that `fill` makes. */
export const page = render({ target: "/v1/things?limit=100" })

/** What the response to it exceeds. */
export const pageLength = 6_000_000

/** Adds a thing with a name of this length to the shelf: no request may bring one. */
export const fillWith = (length: number) =>
  Effect.flatMap(Shelf, ({ add }) => add({ name: "n".repeat(length), count: 1n }))

/** Adds a thing that makes such a page. */
export const fill = fillWith(pageLength)

/** Reads the page on a connection of its own, and expects all of it. */
export const readPage = Effect.gen(function* () {
  const connection = yield* connect
  yield* connection.send(page)
  const { body, status } = yield* connection.receive(operation("GET /v1/things"))
  expect({ status, isWhole: body.length > pageLength && body.endsWith("]") }).toEqual({
    status: 200,
    isWhole: true
  })
}).pipe(Effect.scoped)
