/** A database file that is lost while the server runs. */
import { cpSync, renameSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Duration, Effect, Exit, LogLevel } from "effect"
import * as Outages from "../src/observe/Outages.ts"
import { folder, live } from "./support/Folder.ts"
import { add, call, key, until } from "./support/Observed.ts"
import { serve } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"
import { shiftedClock } from "./support/ShiftedClock.ts"

type Reason = StoreUnavailable["reason"]
const failure = (reason: Reason) => new StoreUnavailable({ reason, cause: new Error("no route") })

/** A database that fails and works when a test says so, and what is logged about it. */
const observing = (isReadOnly = false, logLevel = LogLevel.Info) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const database = { url: "the database", explain: ({ reason }: StoreUnavailable) => reason }
    const options = { database, isReadOnly, logLevel }
    let now = 0n
    const clock = { ...shiftedClock(), unsafeCurrentTimeNanos: () => now }
    const { observer, watch } = yield* Outages.make(options as never, ({ level, message }) => {
      lines.push(`${level} ${message}`)
    }).pipe(Effect.withClock(clock))
    let keys: Exit.Exit<unknown, StoreUnavailable> = Exit.void
    const { changes } = watch({ changes: () => keys } as never)
    const answer = (method: string, status: number, cause?: StoreUnavailable, route = "/v1/pets") =>
      observer.onAnswer?.({ request: { method }, notes: { route } } as never, {
        status,
        headers: [],
        cause
      })
    return {
      lines,
      probe: (route: string, reason?: Reason) =>
        reason === undefined
          ? answer("GET", 200, undefined, route)
          : answer("GET", 503, failure(reason), route),
      pass: (duration: Duration.DurationInput) => {
        now += Duration.unsafeToNanos(duration)
      },
      readKeys: (reason?: Reason) => {
        keys = reason === undefined ? Exit.void : Exit.fail(failure(reason))
        return Effect.ignore(changes(undefined))
      },
      refuse: (method: string, reason: Reason) => answer(method, 503, failure(reason)),
      refuseKey: (keyRefusal: string) =>
        observer.onAnswer?.({ request: {}, notes: { keyRefusal } } as never, {
          status: 503,
          headers: []
        }),
      succeed: (method: string, status = 200) => answer(method, status)
    }
  })

describe("an outage of the database", () => {
  live("is one error, and one line with its duration once it is over", function* () {
    const { lines, pass, readKeys, refuse } = yield* observing()
    yield* readKeys()
    for (let nth = 0; nth < 1501; nth++) refuse(nth % 2 ? "GET" : "POST", "down")
    yield* readKeys("down")
    pass("30 seconds")
    yield* readKeys("down")
    pass("500 millis")
    yield* readKeys()
    pass("2 seconds")
    yield* readKeys()
    yield* readKeys()
    expect(lines).toEqual([
      "error down",
      "info the database works again; it was down for 31 s, and 1501 requests got 503"
    ])
  })

  live("is noticed by probes of readiness, which are no requests of callers", function* () {
    const { lines, pass, probe, readKeys } = yield* observing()
    probe("/readyz", "damaged")
    pass("5 seconds")
    yield* readKeys()
    probe("/healthz")
    expect(lines).toEqual(["error damaged"])
    probe("/readyz")
    expect(lines.slice(1)).toEqual([
      "info the database works again; it was damaged for 5 s, and 0 requests got 503"
    ])
  })

  live("is one also for requests that waited for a connection to what is down", function* () {
    const { lines, pass, readKeys, refuse } = yield* observing()
    refuse("GET", "down")
    refuse("GET", "busy")
    refuse("POST", "busy")
    pass("2 seconds")
    yield* readKeys("down")
    pass("1 second")
    yield* readKeys()
    pass("2 seconds")
    yield* readKeys()
    expect(lines).toEqual([
      "error down",
      "info the database works again; it was down for 3 s, and 3 requests got 503"
    ])
    refuse("GET", "busy")
    expect(lines.slice(2)).toEqual(["warn busy"])
  })

  live("is noticed without a request, and has those refused for outdated keys", function* () {
    const { lines, pass, readKeys, refuseKey } = yield* observing()
    yield* readKeys("down")
    expect(lines).toEqual(["error down"])
    for (const reason of ["outdated", "unknown", "outdated"]) refuseKey(reason)
    pass("2 seconds")
    yield* readKeys()
    expect(lines.slice(1)).toEqual([expect.stringMatching(/down for 2 s, and 2 requests got/)])
  })

  live("does not get more lines if it comes and goes", function* () {
    const { lines, pass, refuse, succeed } = yield* observing()
    for (let nth = 0; nth < 10; nth++) {
      refuse("GET", "busy")
      pass("1 second")
      succeed("GET")
    }
    expect(lines).toEqual(["warn busy"])
    pass("2 seconds")
    succeed("GET")
    expect(lines.slice(1)).toEqual([expect.stringMatching(/busy for 10 s, and 10 requests got/)])
  })

  live.each([
    { method: "POST", status: 201 },
    { method: "DELETE", status: 204 }
  ])("that concerns writes is over when a $method succeeds", function* ({ method, status }) {
    const { lines, pass, readKeys, refuse, succeed } = yield* observing()
    refuse(method, "full")
    pass("1 hour")
    yield* readKeys()
    for (const [other, status] of [
      ["GET", 200],
      ["GET", 304],
      ["HEAD", 200],
      ["OPTIONS", 204],
      // What may be answered without the database.
      [method, 400],
      [method, 404],
      [method, 429]
    ] as const)
      succeed(other, status)
    expect(lines).toEqual(["error full"])
    succeed(method, status)
    expect(lines.slice(1)).toEqual([expect.stringMatching(/full for 3600 s, and 1 request got/)])
  })

  live.each([200, 304])("that concerns reads is over when one is answered %d", function* (status) {
    const { lines, pass, refuse, succeed } = yield* observing()
    refuse("GET", "damaged")
    pass("5 seconds")
    succeed("GET", status)
    expect(lines.slice(1)).toEqual([expect.stringMatching(/was damaged for 5 s, and 1 request/)])
  })

  live("that concerns pets is not over because keys can be read", function* () {
    const { lines, pass, readKeys, refuse, succeed } = yield* observing()
    refuse("GET", "damaged")
    refuse("POST", "damaged")
    pass("1 hour")
    yield* readKeys()
    expect(lines).toEqual(["error damaged"])
    succeed("GET")
    expect(lines.length).toBe(2)
  })

  live("is none if the service was told to be read-only", function* () {
    const { lines, refuse } = yield* observing(true)
    refuse("POST", "read-only")
    expect(lines).toEqual([])
    refuse("GET", "down")
    expect(lines).toEqual(["error down"])
  })
})

const becomes = (url: string, path: string, expected: number) =>
  until(call(url, path), (status) => status === expected)

live("a server whose file was replaced answers 503 until it is back", function* () {
  const path = yield* folder
  const { program, url } = yield* serve(path, { PETSTORE_API_KEYS: key })
  const file = join(path, "data", "petstore.db")
  expect(yield* add(url, "before")).toBe(201)
  renameSync(file, `${file}.away`)
  cpSync(`${file}.away`, file)
  yield* becomes(url, "/readyz", 503)
  expect(yield* call(url, "/v1/pets")).toBe(503)
  expect(yield* call(url, "/v1/pets/1")).toBe(503)
  expect(yield* add(url, "lost")).toBe(503)
  expect(yield* call(url, "/healthz")).toBe(200)
  renameSync(`${file}.away`, file)
  yield* becomes(url, "/readyz", 200)
  expect(yield* call(url, "/v1/pets/1")).toBe(200)
  expect(yield* add(url, "after")).toBe(201)
  yield* Effect.promise(() => program.until(/works again/))
  expect(linesOf(program.stdout, /cannot be used|works again/)).toMatchObject([
    { level: "error", message: expect.stringContaining("put it back, or restart the service") },
    {
      level: "info",
      message: expect.stringMatching(/it was down for \d+ s, and 3 requests got 503$/)
    }
  ])
})
