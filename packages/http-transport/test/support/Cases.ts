/** Runs tables of requests and their answers. */
import { layer } from "@effect/vitest"
import type { HttpListener } from "@petstore/http-transport/HttpListener"
import type { ListenFailed } from "@petstore/http-transport/NodeServer"
import { Effect, type Layer } from "effect"
import { expect } from "vitest"
import type { make } from "./Client.ts"
import * as Connection from "./Connection.ts"
import { type Expected, expectResponse } from "./Expected.ts"
import * as Harness from "./Harness.ts"
import type { Request } from "./Request.ts"

/** What is asked, and what is answered; the answer may depend on the id that the next create gets. */
export type Case = readonly [
  name: string,
  request: Request,
  answer: Expected | ((nextId: number) => Expected)
]

/** Runs one test for each case. Only a 201 may leave something behind, and ids are given without a gap. */
export const runner =
  <Options, R, E>(
    layerOf: (options: Options) => Layer.Layer<HttpListener | R, ListenFailed>,
    count: Effect.Effect<number, E, R>,
    { exchange }: Pick<ReturnType<typeof make>, "exchange">
  ) =>
  (title: string, cases: ReadonlyArray<Case>, options: Options): void => {
    layer(layerOf(options), { excludeTestServices: true })(title, (it) => {
      for (const [behaviour, request, answer] of cases) {
        it.effect(behaviour, () =>
          Effect.gen(function* () {
            const before = yield* count
            const response = yield* exchange(request)
            const expected = typeof answer === "function" ? answer(before + 1) : answer
            expectResponse(response, expected)
            expect(yield* count).toBe(before + (expected.status === 201 ? 1 : 0))
          })
        )
      }
    })
  }

const run = runner(Harness.layer, Harness.count, Connection)

/** One test for each case, on the fixture. */
export const suite = (
  title: string,
  cases: ReadonlyArray<Case>,
  options: Harness.Options = {}
): void => run(title, cases, options)
