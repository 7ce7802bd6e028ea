/** The key that a service issues if its store has none. */

import { effect, expect } from "@effect/vitest"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { make } from "@petstore/store-memory/MemoryApiKeyStore"
import { ConfigProvider, Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { Terminal } from "../src/cli/Terminal.ts"
import * as Keys from "../src/service/Keys.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"

effect("a first key that is stored is printed, though the service is stopped meanwhile", () =>
  Effect.gen(function* () {
    const environment = { PETSTORE_PRINT_FIRST_KEY: "true", DATABASE_URL: "memory:" }
    const provider = ConfigProvider.fromJson(environment)
    const config = yield* Effect.withConfigProvider(AppConfig, provider)
    const store = yield* make
    const stored = yield* Deferred.make<void>()
    let printed = ""
    const starting = yield* Layer.build(Keys.layer(config)).pipe(
      Effect.scoped,
      Effect.provideService(ApiKeyStore, {
        ...store,
        addFirst: (key) =>
          store
            .addFirst(key)
            .pipe(
              Effect.zipLeft(Deferred.succeed(stored, undefined)),
              Effect.zipLeft(Effect.sleep("1 second"))
            )
      }),
      Effect.provideService(HttpListener, { url: "http://pets.test" } as never),
      Effect.provideService(Terminal, {
        stderr: { write: (text: string) => (printed += text) }
      } as never),
      Effect.fork
    )
    yield* Deferred.await(stored)
    const stopping = yield* Effect.fork(Fiber.interrupt(starting))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(stopping)
    const [key] = yield* store.list
    expect(printed).toContain(`pet_${key?.id}_`)
  })
)

effect("servers that start at once issue one first key", () =>
  Effect.gen(function* () {
    const environment = { PETSTORE_PRINT_FIRST_KEY: "true", DATABASE_URL: "memory:" }
    const config = yield* Effect.withConfigProvider(AppConfig, ConfigProvider.fromJson(environment))
    const store = yield* make
    const start = Layer.build(Keys.layer(config)).pipe(
      Effect.scoped,
      Effect.provideService(ApiKeyStore, store),
      Effect.provideService(HttpListener, { url: "http://pets.test" } as never),
      Effect.provideService(Terminal, { stderr: { write: () => true } } as never)
    )
    yield* Effect.all([start, start], { concurrency: "unbounded" })
    expect(yield* store.list).toHaveLength(1)
  })
)
