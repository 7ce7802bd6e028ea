import { describe, expect, it } from "@effect/vitest"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import { Effect, Exit, LogLevel, TestClock } from "effect"

type Outages = typeof import("../src/observe/Outages.ts")
// TypeScript rejects imports from another project's sources, so the path is built at run time.
const Outages: Outages = await import(new URL("../src/observe/Outages.ts", import.meta.url).href)

type Reason = StoreUnavailable["reason"]
const failure = (reason: Reason) => new StoreUnavailable({ reason, cause: new Error("no route") })

/** A database that fails and works as it is told, and what is logged about it. */
const observing = (isReadOnly = false) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const database = { url: "the database", explain: ({ reason }: StoreUnavailable) => reason }
    const options = { database, isReadOnly, logLevel: LogLevel.Info }
    const { observer, watch } = yield* Outages.make(options as never, ({ level, message }) => {
      lines.push(`${level} ${message}`)
    })
    let keys: Exit.Exit<unknown, StoreUnavailable> = Exit.void
    const { changes } = watch({ changes: () => keys } as never)
    const answer = (method: string, status: number, cause?: StoreUnavailable) =>
      observer.onAnswer?.({ request: { method }, route: "/v1/pets" } as never, {
        status,
        headers: [],
        cause
      })
    return {
      lines,
      readKeys: (reason?: Reason) => {
        keys = reason === undefined ? Exit.void : Exit.fail(failure(reason))
        return Effect.ignore(changes(undefined))
      },
      refuse: (method: string, reason: Reason) => answer(method, 503, failure(reason)),
      succeed: (method: string) => answer(method, method === "POST" ? 201 : 200)
    }
  })

describe("an outage of the database", () => {
  it.effect("is one error, and one line with its duration and the requests once it is over", () =>
    Effect.gen(function* () {
      const { lines, readKeys, refuse } = yield* observing()
      yield* readKeys()
      for (let nth = 0; nth < 1501; nth++) refuse(nth % 2 ? "GET" : "POST", "down")
      yield* readKeys("down")
      yield* TestClock.adjust("30 seconds")
      yield* readKeys("down")
      yield* TestClock.adjust("500 millis")
      yield* readKeys()
      yield* TestClock.adjust("2 seconds")
      yield* readKeys()
      yield* readKeys()
      expect(lines).toEqual([
        "error down",
        "info the database works again; it was down for 31 s, and 1501 requests got 503"
      ])
    })
  )

  it.effect("is noticed without a request", () =>
    Effect.gen(function* () {
      const { lines, readKeys } = yield* observing()
      yield* readKeys("down")
      expect(lines).toEqual(["error down"])
    })
  )

  it.effect("does not get more lines if it comes and goes", () =>
    Effect.gen(function* () {
      const { lines, refuse, succeed } = yield* observing()
      for (let nth = 0; nth < 10; nth++) {
        refuse("GET", "busy")
        yield* TestClock.adjust("1 second")
        succeed("GET")
      }
      expect(lines).toEqual(["warn busy"])
    })
  )

  it.effect("that concerns writes is over when one succeeds", () =>
    Effect.gen(function* () {
      const { lines, readKeys, refuse, succeed } = yield* observing()
      refuse("POST", "full")
      yield* TestClock.adjust("1 hour")
      yield* readKeys()
      succeed("GET")
      expect(lines).toEqual(["error full"])
      succeed("POST")
      expect(lines.slice(1)).toEqual([expect.stringMatching(/full for 3600 s, and 1 request got/)])
    })
  )

  it.effect("that concerns pets is not over because keys can be read", () =>
    Effect.gen(function* () {
      const { lines, readKeys, refuse, succeed } = yield* observing()
      refuse("GET", "damaged")
      yield* TestClock.adjust("1 hour")
      yield* readKeys()
      expect(lines).toEqual(["error damaged"])
      succeed("GET")
      expect(lines.length).toBe(2)
    })
  )

  it.effect("is none if the service was told to be read-only", () =>
    Effect.gen(function* () {
      const { lines, refuse } = yield* observing(true)
      refuse("POST", "read-only")
      expect(lines).toEqual([])
    })
  )
})
