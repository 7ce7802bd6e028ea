/** Pets are read and added without fibers; starting one for each request costs a quarter more CPU. */
import { expect, layer } from "@effect/vitest"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import { Effect, FiberId } from "effect"
import * as Harness from "./support/Harness.ts"
import { keys } from "./support/Request.ts"

const rounds = 20

/** How many fibers start while the server answers twenty of these requests. */
const fibersFor = (target: string, { headers: more = {}, ...options }: RequestInit = {}) =>
  Effect.flatMap(HttpListener.HttpListener, ({ url }) =>
    Effect.promise(async () => {
      const headers = {
        Authorization: `Bearer ${keys.all}`,
        "Content-Type": "application/json",
        ...more
      }
      const before = FiberId.unsafeMake().id
      for (let round = 0; round < rounds; round++) {
        await (await fetch(url + target, { ...options, headers })).arrayBuffer()
      }
      return FiberId.unsafeMake().id - before - 1
    })
  )

for (const [name, store] of Object.entries(Harness.stores)) {
  layer(Harness.layer({ store }), { excludeTestServices: true })(`requests (${name})`, (it) => {
    it.effect(
      "start no fiber",
      () =>
        Effect.gen(function* () {
          // The readiness probe has a time limit, which takes fibers.
          expect(yield* fibersFor("/readyz")).toBeGreaterThanOrEqual(rounds)
          const body = '{"name":"Rex","categoryId":1,"status":"sold"}'
          const headers = { "Idempotency-Key": "key" }
          expect(yield* fibersFor("/v1/pets", { method: "POST", body })).toBe(0)
          expect(yield* fibersFor("/v1/pets", { method: "POST", body, headers })).toBe(0)
          for (const target of [
            "/v1/pets",
            "/v1/pets?status=sold",
            "/v1/pets/1",
            "/v1/pets/1000"
          ]) {
            expect([target, yield* fibersFor(target)]).toEqual([target, 0])
          }
        }),
      60_000
    )
  })
}
