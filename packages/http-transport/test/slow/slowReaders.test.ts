/** Callers that read slowly are served. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "../support/Connection.ts"
import { fill, page, pageLength } from "../support/Pages.ts"
import { operation } from "../support/Request.ts"
import { served } from "../support/Served.ts"

const listing = operation("GET /v1/things")

served({ listener: { sendTimeout: "6 seconds" } })(
  "a caller that reads slowly is not closed as one that reads nothing",
  function* () {
    yield* fill
    const connection = yield* connect
    yield* connection.reading(false)
    yield* connection.send(...Array(3).fill(page))
    // Longer than the timeout. Node sees progress once a third of the kernel's buffer, some megabytes, was read.
    for (let at = 0; at < 150; at++) {
      yield* connection.readPiece
      yield* Effect.sleep("50 millis")
    }
    yield* connection.reading(true)
    for (let at = 0; at < 3; at++) {
      expect((yield* connection.receive(listing)).body.length).toBeGreaterThan(pageLength)
    }
  }
)
