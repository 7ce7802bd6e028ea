/** Checks the laws of the testkit on a store, without vitest. */
import * as Laws from "@petstore/store-testkit/Laws"
import * as Effect from "effect/Effect"
import { layer } from "./store.ts"

const check = Effect.forEach(Laws.laws, (law) => law.check(Effect.succeed(layer)), {
  discard: true
})

await Effect.runPromise(check)
process.stdout.write(`${Laws.laws.length} laws`)
