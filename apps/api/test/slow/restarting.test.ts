/** A new version takes over from an old one, on one SQLite file, as docs/deploying.md says. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { add, added, all, call, firstPage, page } from "../support/Calls.ts"
import { folder, start } from "../support/Program.ts"
import * as ReverseProxy from "../support/ReverseProxy.ts"

const key = "the-key-of-the-tests"
const environment = { PETSTORE_API_KEYS: key, PETSTORE_PRESTOP_SECONDS: "1" }
const writers = Array.from({ length: 16 }, (_, writer) => writer)
const readers = Array.from({ length: 4 })

describe("a restart on a new version", () => {
  it.scopedLive("fails no request and loses no pet", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const old = yield* start(path, environment)
      const proxy = yield* ReverseProxy.start(yield* Effect.promise(() => old.url()))

      const acknowledged: Array<string> = []
      let isDone = false
      const write = (writer: number) =>
        Effect.iterate(0, {
          while: () => !isDone,
          body: (nth) =>
            Effect.map(add(proxy.url, key, `${writer}/${nth}`), (answer) => {
              acknowledged.push(added(answer).name)
              return nth + 1
            })
        })
      const read = Effect.whileLoop({
        while: () => !isDone,
        body: () => call(proxy.url + firstPage, key),
        step: (answer) => page(answer)
      })
      /** Waits until so many more pets are acknowledged. */
      const more = (count: number) =>
        Effect.suspend(() => {
          const goal = acknowledged.length + count
          return Effect.sync(() => acknowledged.length >= goal).pipe(
            Effect.delay("5 millis"),
            Effect.repeat({ until: (isReached) => isReached })
          )
        })

      const restart = Effect.gen(function* () {
        yield* more(200)
        const next = yield* start(path, environment)
        // The program says where it serves once it is ready.
        const url = yield* Effect.promise(() => next.url())
        expect((yield* call(`${url}/readyz`, key)).status).toBe(200)
        yield* more(200)
        proxy.switchTo(url)
        const ended = yield* Effect.promise(() => old.stop("SIGTERM"))
        expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" })
        yield* more(200)
        isDone = true
        return url
      })
      const [url] = yield* Effect.all(
        [
          restart,
          Effect.forEach(writers, write, { concurrency: "unbounded" }),
          Effect.all(
            readers.map(() => read),
            { concurrency: "unbounded" }
          )
        ],
        { concurrency: "unbounded" }
      )
      const names = (yield* all(url, key)).map(({ name }) => name)
      expect(names.toSorted()).toEqual(acknowledged.toSorted())
      expect(old.stdout).not.toMatch(/"level":"(?:warn|error)"/)
    })
  )
})
