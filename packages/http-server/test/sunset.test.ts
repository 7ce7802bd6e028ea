/** The day from which getting one animal is gone, on the test's clock. */
// Not `it.scoped`: `layer` in another file replaces it for all that follow.
import { describe, expect, scoped } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { allowOf } from "./support/Conformance.ts"
import { exchange } from "./support/Connection.ts"
import {
  current,
  deprecation,
  expectResponse,
  found,
  noId,
  noKey,
  noPet,
  notAllowed,
  options,
  refusal,
  toHead
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create } from "./support/Request.ts"

const sunset = Date.UTC(2030, 11, 5)
const gone = refusal("gone", "this operation is gone; use /v1/pets instead", deprecation)
const pet = found('{"id":1,"name":"n","categoryId":1}', deprecation)
const at = (instant: number, target: string, method = "GET") =>
  Effect.zipRight(TestClock.setTime(instant), exchange({ target, method }))

describe("the removal of the operation", () => {
  scoped("is on 5 December 2030, to the millisecond", () =>
    Effect.gen(function* () {
      yield* exchange(create('{"name":"n","categoryId":1}'))
      expectResponse(yield* at(0, "/v1/pets/1"), pet)
      expectResponse(yield* at(sunset - 1, "/v1/pets/1"), pet)
      expectResponse(yield* at(sunset - 1, "/v1/pets/2"), noPet("2"))
      expectResponse(yield* at(sunset - 1, "/v1/pets/x"), noId)
      expectResponse(yield* at(sunset, "/v1/pets/1"), gone)
      expectResponse(yield* at(sunset + 1, "/v1/pets/1"), gone)
      expectResponse(yield* at(Date.UTC(2100, 0), "/v1/pets/1"), gone)
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("is of every animal, there or not, and of HEAD too", () =>
    Effect.gen(function* () {
      expectResponse(yield* at(sunset, "/v1/pets/2"), gone)
      expectResponse(yield* at(sunset, "/v1/pets/x"), gone)
      expectResponse(yield* at(sunset, "/v1/pets/1", "HEAD"), toHead(gone))
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("leaves the key, the methods and the other operations as they were", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(sunset)
      const target = "/v1/pets/1"
      const allow = allowOf("/pets/{petId}")
      expectResponse(yield* exchange({ target, key: null }), noKey)
      expectResponse(yield* exchange({ target, method: "OPTIONS" }), options(allow))
      expectResponse(yield* exchange({ target, method: "PUT" }), notAllowed(allow))
      expect((yield* exchange(create('{"name":"n","categoryId":1}'))).status).toBe(201)
      const list = found('[{"id":1,"name":"n","categoryId":1}]', [current("limit=20", 1)])
      expectResponse(yield* exchange({ target: "/v1/pets" }), list)
    }).pipe(Effect.provide(Harness.layer()))
  )
})
