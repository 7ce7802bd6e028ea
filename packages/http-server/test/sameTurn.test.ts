/** Requests that one turn of the event loop brings: shared where nobody can tell, asked anew where one could. */
import { setImmediate } from "node:timers/promises"
import { describe, expect, it, layer } from "@effect/vitest"
import type { Exchange } from "@petstore/http-server/Exchange"
import * as Reply from "@petstore/http-server/Reply"
import * as SameTurn from "@petstore/http-server/SameTurn"
import { Effect } from "effect"
import { connect } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create, operation, render } from "./support/Request.ts"

const exchange = (isAlone: boolean) => ({ turn: SameTurn.current(), isAlone }) as Exchange

/** Something to ask, which tells how often it was asked. */
const counted = (wait: Effect.Effect<void> = Effect.void) => {
  let asked = 0
  const ask = () => Effect.map(wait, () => Reply.json(200, String(++asked)))
  return { ask, asked: () => asked }
}

describe("requests of one turn", () => {
  it.live("share one answer, by what they ask for", () =>
    Effect.gen(function* () {
      const { ask, asked } = counted()
      const share = SameTurn.make()
      const first = yield* share(exchange(true), "a", ask)
      expect(yield* share(exchange(true), "a", ask)).toBe(first)
      expect(asked()).toBe(1)
      yield* share(exchange(true), "b", ask)
      expect(asked()).toBe(2)
    })
  )

  it.live("ask anew when their connection brought others, or when the turn is over", () =>
    Effect.gen(function* () {
      const { ask, asked } = counted()
      const share = SameTurn.make()
      yield* share(exchange(true), "a", ask)
      yield* share(exchange(false), "a", ask)
      expect(asked()).toBe(2)
      yield* Effect.promise(() => setImmediate())
      yield* share(exchange(true), "a", ask)
      expect(asked()).toBe(3)
    })
  )

  it.live("share no answer that took longer than the turn", () =>
    Effect.gen(function* () {
      const { ask, asked } = counted(Effect.promise(() => setImmediate()))
      const share = SameTurn.make()
      yield* share(exchange(true), "a", ask)
      yield* share(exchange(true), "a", ask)
      expect(asked()).toBe(2)
    })
  )
})

for (const [name, store] of Object.entries(Harness.stores)) {
  layer(Harness.layer({ store }), { excludeTestServices: true })(`one packet (${name})`, (it) => {
    it.scoped("shows to a list what was added before it", () =>
      Effect.gen(function* () {
        const connection = yield* connect
        const list = render({ target: "/v1/pets?limit=100" })
        for (let size = 1; size <= 5; size++) {
          const add = render(create(`{"name":"n${size}","categoryId":1}`))
          yield* connection.send(Buffer.concat([list, add, list, list]))
          const before = yield* connection.receive(operation("GET /v1/pets"))
          const added = yield* connection.receive(operation("POST /v1/pets"))
          const after = yield* connection.receive(operation("GET /v1/pets"))
          expect(JSON.parse(before.body)).toHaveLength(size - 1)
          expect(JSON.parse(after.body)).toHaveLength(size)
          expect(after.body).toContain(added.body)
          expect((yield* connection.receive(operation("GET /v1/pets"))).body).toBe(after.body)
        }
      })
    )
  })
}
