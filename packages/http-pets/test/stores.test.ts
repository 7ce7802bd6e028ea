/** What a store decides about the service, on each of them; the laws of stores say the rest. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Scope } from "effect"
import { headerOf, headersOf } from "../../http-transport/test/support/Response.ts"
import { connect, exchange } from "./support/Conformance.ts"
import * as Harness from "./support/Harness.ts"
import { create, operation, render } from "./support/Request.ts"

const read = (target: string, tag?: string) =>
  exchange({ target, headers: tag === undefined ? [] : [`If-None-Match: ${tag}`] })

it.scopedLive.each(Object.entries(Harness.stores))(
  "the tag of a page changes when a next page appears, though its pets do not (%s)",
  ([, store]) =>
    Effect.gen(function* () {
      yield* exchange(create('{"name":"n","categoryId":1}'))
      const before = yield* read("/v1/pets?limit=1")
      const tag = headerOf(before, "ETag")
      expect((yield* read("/v1/pets?limit=1", tag)).status).toBe(304)
      yield* exchange(create('{"name":"n","categoryId":1}'))
      const after = yield* read("/v1/pets?limit=1", tag)
      expect(after).toMatchObject({ status: 200, body: before.body })
      const again = yield* read("/v1/pets?limit=1", headerOf(after, "ETag"))
      expect([again.status, headersOf(again, "Link")]).toEqual([304, headersOf(after, "Link")])
    }).pipe(Effect.provide(Harness.layer({ store })))
)

it.scopedLive.each(Object.entries(Harness.stores))(
  "a service that stops finishes what was begun before its store closes (%s)",
  ([, store]) =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<void>()
      const gate = yield* Deferred.make<void>()
      const gated = Harness.storeWith(
        ({ add }) => ({
          add: (pet) =>
            Effect.zipRight(Queue.offer(asked, undefined), Deferred.await(gate)).pipe(
              Effect.zipRight(add(pet))
            )
        }),
        store
      )
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Harness.layer({ store: gated }), scope)
      const connection = yield* Effect.provide(connect, context)
      yield* connection.send(render(create('{"name":"n","categoryId":1}')))
      yield* Queue.take(asked)
      const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* Deferred.succeed(gate, undefined)
      const { body } = yield* connection.receive(operation("POST /v1/pets"))
      expect(body).toBe('{"id":1,"name":"n","categoryId":1}')
      yield* Fiber.join(stopping)
    })
)
