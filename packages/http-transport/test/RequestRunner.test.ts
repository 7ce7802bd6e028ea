/** What runs a handler, as its memory tells. */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Exchange } from "../src/internal/exchange/Exchange.ts"
import * as RequestRunner from "../src/internal/exchange/RequestRunner.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

it.live("a runner keeps nothing of handlers that have ended, or were cancelled", () =>
  Effect.gen(function* () {
    const runner = yield* RequestRunner.make
    /** The answer to a request, if that is kept. */
    const run = (isCancelled: boolean) =>
      Effect.async<WeakRef<object>>((resume) => {
        const request = new IncomingMessage(new Socket())
        const response = new ServerResponse(request)
        const reply = { status: 200, headers: [] }
        const end = () => resume(Effect.succeed(new WeakRef(reply)))
        const handler = Effect.zipRight(
          isCancelled
            ? Effect.onInterrupt(Effect.never, () => Effect.sync(end))
            : Effect.yieldNow(),
          Effect.succeed(reply)
        )
        runner.answer(new Exchange(request, response, false), () => handler, end)
        if (isCancelled) setImmediate(() => response.destroy().emit("close"))
      })
    const kept = [yield* run(false), yield* run(true)]
    yield* Effect.promise(() => new Promise(setImmediate))
    const countKept = Effect.promise(async () => {
      await new Promise(setImmediate)
      collect()
      return kept.filter((one) => one.deref() !== undefined).length
    })
    yield* Effect.repeat(countKept, { until: (count) => count === 0, times: 20 })
    expect(yield* countKept).toBe(0)
  })
)
