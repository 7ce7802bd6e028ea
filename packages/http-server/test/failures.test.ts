/** Internal failures: logged in full, and reported to the caller without details. */
import { describe, expect, it } from "@effect/vitest"
import type { PetStore } from "@petstore/domain/PetStore"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import { Effect, Layer } from "effect"
import { exchange } from "./support/Connection.ts"
import { expectResponse, found, refusal, toHead, withId } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import * as Logs from "./support/Logs.ts"
import { create, keys, type Request } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"

const secret = "SELECT secret FROM /var/lib/pets.db"

/** A store that does this whatever it is asked. */
const always = (effect: Effect.Effect<never, StoreUnavailable>): Layer.Layer<PetStore> =>
  Harness.storeWith(() => ({ add: () => effect, get: () => effect, list: () => effect }))

const operations: Readonly<Record<string, Request>> = {
  listPets: { target: "/v1/pets" },
  createPet: create('{"name":"n","categoryId":1}'),
  getPet: { target: "/v1/pets/1" }
}

describe("a store that cannot answer", () => {
  for (const reason of ["busy", "full", "damaged", "down"] as const) {
    for (const [name, request] of Object.entries(operations)) {
      it.scopedLive(`makes ${name} unavailable when it is ${reason}`, () =>
        Effect.gen(function* () {
          const wait = reason === "full" ? 30 : 1
          const headers = [`Retry-After: ${wait}`]
          const unavailable = refusal("unavailable", `the store is ${reason}`, headers)
          const response = yield* exchange(request)
          expectResponse(response, unavailable)
          expect(JSON.stringify(response)).not.toContain("secret")
          if (request.method === undefined) {
            const head = yield* exchange({ ...request, method: "HEAD" })
            expectResponse(head, toHead(unavailable))
          }
        }).pipe(
          Effect.provide(
            Harness.layer({
              store: always(new StoreUnavailable({ reason, cause: new Error(secret) }))
            })
          )
        )
      )
    }
  }
})

const defects: Readonly<Record<string, Layer.Layer<PetStore>>> = {
  dies: always(Effect.die(new Error(secret))),
  "dies later": always(Effect.delay(Effect.die(new Error(secret)), "20 millis")),
  "dies with a value that is not an error": always(Effect.die({ secret })),
  throws: always(
    Effect.suspend(() => {
      throw new TypeError(secret)
    })
  ),
  "throws before it begins": Harness.storeWith(() => {
    const fail = () => {
      throw new TypeError(secret)
    }
    // Its list is asked for when the service starts.
    return { add: fail, get: fail, list: () => Effect.die(new Error(secret)) }
  })
}

describe("a defect", () => {
  for (const [how, store] of Object.entries(defects)) {
    for (const [name, request] of Object.entries(operations)) {
      it.scopedLive(`is logged and not shown to the caller: the store of ${name} ${how}`, () =>
        Effect.gen(function* () {
          const logs = Logs.make()
          yield* Effect.gen(function* () {
            const id = "caller-1"
            const response = yield* exchange({ ...request, headers: [`X-Request-Id: ${id}`] })
            const failed = refusal("internal_error", `something went wrong; tell us the id ${id}`)
            expectResponse(response, withId(failed, id))
            yield* Effect.sleep("10 millis")
            const errors = logs.lines.filter((line) => line.level === "ERROR")
            expect(errors).toMatchObject([{ annotations: { requestId: id } }])
            expect(errors[0]?.cause).toContain(secret)
            expect(JSON.stringify(logs.lines)).not.toContain(keys.all)

            const other = yield* exchange(request)
            const otherId = headerOf(other, "X-Request-Id")
            expect(JSON.parse(other.body).message).toBe(
              `something went wrong; tell us the id ${otherId}`
            )
          }).pipe(Effect.provide(Layer.provide(Harness.layer({ store }), logs.layer)))
        })
      )
    }
  }

  it.scopedLive("is logged when the store was interrupted from within", () =>
    Effect.gen(function* () {
      const logs = Logs.make()
      yield* Effect.gen(function* () {
        expect((yield* exchange({ target: "/v1/pets/1" })).status).toBe(500)
        yield* Effect.sleep("10 millis")
        expect(logs.lines.map((line) => line.level)).toContain("ERROR")
      }).pipe(
        Effect.provide(
          Layer.provide(Harness.layer({ store: always(Effect.interrupt) }), logs.layer)
        )
      )
    })
  )

  it.scopedLive("of one request is no trouble to the next", () =>
    Effect.gen(function* () {
      const broken = Harness.storeWith(() => ({ get: () => Effect.die(new Error(secret)) }))
      yield* Effect.gen(function* () {
        for (let at = 0; at < 5; at++) {
          expect((yield* exchange({ target: "/v1/pets/1" })).status).toBe(500)
          expectResponse(yield* exchange({ target: "/v1/pets" }), found("[]"))
        }
      }).pipe(Effect.provide(Layer.provide(Harness.layer({ store: broken }), Logs.make().layer)))
    })
  )
})

describe("the log", () => {
  it.scopedLive("never holds a key, right or wrong, wherever it was sent", () =>
    Effect.gen(function* () {
      const logs = Logs.make()
      const wrong = "wrong-key-4711"
      yield* Effect.gen(function* () {
        const requests: ReadonlyArray<Request> = [
          { target: "/v1/pets", key: wrong },
          { target: "/v1/pets", key: null, headers: [`Authorization: Basic ${wrong}`] },
          { target: `/v1/pets?key=${wrong}`, key: wrong },
          { target: "/v1/pets/1", key: keys.all },
          { target: "/v1/pets", key: keys.write },
          { target: "/v1/none", key: keys.read }
        ]
        for (const request of requests) {
          const response = yield* exchange(request)
          const seen = JSON.stringify(response)
          for (const key of [wrong, ...Object.values(keys)]) expect(seen).not.toContain(key)
        }
        yield* Effect.sleep("10 millis")
      }).pipe(
        Effect.provide(
          Layer.provide(Harness.layer({ store: always(Effect.die(new Error("x"))) }), logs.layer)
        )
      )
      expect(logs.lines.length).toBeGreaterThan(0)
      const logged = JSON.stringify(logs.lines)
      for (const key of [wrong, ...Object.values(keys)]) expect(logged).not.toContain(key)
    })
  )
})
