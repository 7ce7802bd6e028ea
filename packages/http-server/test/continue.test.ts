/** Callers who ask before they send: `Expect: 100-continue`. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { chunked, inChunks, sized } from "./support/Bodies.ts"
import { type Connection, connect, exchange } from "./support/Connection.ts"
import {
  answer,
  closing,
  created,
  type Expected,
  expectResponse,
  forbidden,
  noKey,
  refusal,
  wrongKey,
  wrongType
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, keys, operation, type Request } from "./support/Request.ts"

const limit = 65_536
const tooLarge = refusal("payload_too_large", `the body must have at most ${limit} bytes`)
const answers = (connection: Connection, expected: Expected) =>
  Effect.map(connection.receive(operation("POST /v1/pets")), (response) => {
    expectResponse(response, expected)
    return response
  })

describe.concurrent("a caller who asks before it sends", () => {
  layer(Harness.layer(), { excludeTestServices: true })((it) => {
    const expecting = (request: Request): Request => ({
      ...request,
      headers: [...(request.headers ?? []), "Expect: 100-continue"]
    })
    const pet = '{"name":"n","categoryId":1}'

    it.scoped("gets 100 Continue, and then its response", () =>
      Effect.gen(function* () {
        for (const request of [create(pet), inChunks]) {
          const before = yield* Harness.count
          const connection = yield* connect
          yield* connection.send(head(expecting(request)))
          yield* connection.continued
          yield* connection.send(request === inChunks ? chunked(pet, 5) : pet)
          const response = yield* answers(
            connection,
            created('"name":"n","categoryId":1')(before + 1)
          )
          expect(response.interim).toEqual([100])
        }
      })
    )

    const refused: ReadonlyArray<readonly [why: string, request: Request, Expected]> = [
      ["without a key", { ...create(pet), key: null }, noKey],
      ["with a wrong key", { ...create(pet), key: "wrong" }, wrongKey],
      ["with a key without the scope", { ...create(pet), key: keys.read }, forbidden("pets:write")],
      ["with another type", { ...create(pet), type: "text/plain" }, wrongType],
      ["with a body that is too large", create(sized(limit + 1)), tooLarge]
    ]
    for (const [why, request, expected] of refused) {
      it.scoped(`is refused without 100 Continue, ${why}`, () =>
        Effect.gen(function* () {
          const connection = yield* connect
          yield* connection.send(head(expecting(request)))
          const response = yield* answers(connection, closing(expected))
          expect(response.interim).toEqual([])
          expect(yield* connection.closed).toEqual({ rest: "", reset: false })
        })
      )
    }

    it.scoped("gets 100 Continue, and 413 when its chunks are too large", () =>
      Effect.gen(function* () {
        const connection = yield* connect
        yield* connection.send(head(expecting(inChunks)))
        yield* connection.continued
        yield* connection.send(chunked(sized(limit + 1), 9999))
        expect((yield* answers(connection, tooLarge)).interim).toEqual([100])
      })
    )

    it.effect("is answered at once when it has nothing to send", () =>
      Effect.gen(function* () {
        const response = yield* exchange(expecting({ target: "/healthz" }))
        expect(response.body).toBe(answer(200, '{"status":"ok"}').body)
        expect(response.interim).toEqual([])
      })
    )
  })
})
