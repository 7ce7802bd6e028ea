import { expect } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as RenewablePool from "../src/internal/RenewablePool.ts"
import * as Settings from "../src/internal/Settings.ts"
import { live, patient, urlOf } from "./support/Databases.ts"

live("a pool forgets connections that were closed, and is forgotten when it is", function* () {
  const drops = new Set<() => void>()
  const scope = yield* Scope.make()
  const settings = Settings.make({ url: urlOf("postgres"), ...patient })
  const { current } = yield* Scope.extend(RenewablePool.make(settings, { drops }), scope)
  const { pool, sockets } = current()
  const client = yield* Effect.promise(() => pool.connect())
  expect([sockets.size, drops.size]).toEqual([1, 1])
  client.release(true)
  yield* Effect.promise(() => expect.poll(() => sockets.size).toBe(0))
  yield* Scope.close(scope, Exit.void)
  expect(drops.size).toBe(0)
})
