/** Several processes that share a socket or a port. */
import { expect } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import { Observing } from "../src/observe/Observing.ts"
import * as Adapters from "../src/service/Adapters.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"
import * as UnknownVariables from "../src/settings/UnknownVariables.ts"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"
import { call } from "./support/Observed.ts"
import { serve } from "./support/Process.ts"

const passed = { LISTEN_PID: String(process.pid), LISTEN_FDS: "1" }

live.each([
  { environment: {}, listens: true },
  { environment: passed, listens: false },
  { environment: { PETSTORE_REUSE_PORT: "true" }, listens: false }
])("a process listens before it can serve ($listens) if it is alone: %o", function* (given) {
  const port = yield* Effect.promise(LocalPostgres.freePort)
  const environment = ConfigProvider.fromJson({ ...given.environment, PORT: String(port) })
  const config = yield* Effect.withConfigProvider(AppConfig, environment)
  yield* Layer.build(Adapters.listener(config)).pipe(
    Effect.provideService(Observing, { observers: [] } as never)
  )
  const answer = Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/readyz`))
  expect(Option.isSome(yield* Effect.option(answer))).toBe(given.listens)
})

live("two servers with PETSTORE_REUSE_PORT on one port both answer", function* () {
  const path = yield* folder
  const environment = { PETSTORE_REUSE_PORT: "true", LOG_REQUESTS: "all" }
  const first = yield* serve(path, environment)
  const { port } = new URL(first.url)
  const second = yield* serve(path, { ...environment, PORT: port })
  expect(second.url).toBe(first.url)
  const hasAnswered = ({ program }: typeof first) => program.stdout.includes('"/healthz"')
  for (let nth = 0; nth < 1000 && ![first, second].every(hasAnswered); nth++)
    expect(yield* call(first.url, "/healthz")).toBe(200)
  expect([first, second].map(hasAnswered)).toEqual([true, true])
})

live.each([
  { environment: { ...passed, PORT: "3001" }, message: /^PORT has no effect on a passed socket/ },
  { environment: passed },
  { environment: { PORT: "3001" } }
])("a port beside a passed socket has no effect, and a warning says so: %o", function* (given) {
  const { environment, message } = given
  const provider = ConfigProvider.fromJson(environment)
  const found = yield* Effect.withConfigProvider(UnknownVariables.find, provider)
  const expected = message === undefined ? [] : [{ message: expect.stringMatching(message) }]
  expect(found).toMatchObject(expected)
})
