/** Large responses to callers that read: each arrives whole, however many are sent at a time. */
import { describe, expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { Effect, Fiber } from "effect"
import { connect } from "./support/Connection.ts"
import { fill, readPage } from "./support/Pages.ts"
import { operation } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const index = Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500))

/** Pipelines requests that need no key, and reads every response. */
const pipeline = Effect.gen(function* () {
  const connection = yield* connect
  yield* connection.send(index)
  for (let at = 0; at < 500; at++) yield* connection.receive(operation("GET /"))
}).pipe(Effect.scoped)

describe.concurrent("a large response", () => {
  served()("arrives whole beside callers that pipeline requests without a key", function* () {
    yield* fill
    const others = yield* Effect.fork(
      Effect.replicateEffect(pipeline, 4, { concurrency: "unbounded" })
    )
    yield* Effect.replicateEffect(readPage, 4, { concurrency: "unbounded" })
    yield* Fiber.join(others)
    expect((yield* HttpListener).load()).toMatchObject({ cut: 0, shed: 0 })
  })
})
