/** Limits and CORS, as the environment configures them. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "./support/Folder.ts"
import { key, postHead } from "./support/Observed.ts"
import { main, open } from "./support/Process.ts"
import { serve } from "./support/Program.ts"
import { openAll, tally } from "./support/RawClient.ts"

const headers = { Authorization: `Bearer ${key}` }

const serving = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { url } = yield* serve(yield* folder, {
      DATABASE_URL: "memory:",
      PETSTORE_API_KEYS: key,
      ...environment
    })
    const get = (init: RequestInit = { headers }) =>
      Effect.promise(() => fetch(`${url}/v1/pets`, init))
    return { get, url }
  })

describe("the rate limit", () => {
  live("is set by PETSTORE_RATE_LIMIT", function* () {
    const { get } = yield* serving({ PETSTORE_RATE_LIMIT: "2/90s" })
    const policy = '"key";q=2;w=90'
    const answers = [yield* get(), yield* get(), yield* get()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    for (const answer of answers) expect(answer.headers.get("ratelimit-policy")).toBe(policy)
    expect(answers.map((answer) => answer.headers.get("ratelimit")?.split(";t=")[0])).toEqual([
      '"key";r=1',
      '"key";r=0',
      '"key";r=0'
    ])
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  live("counts wrong keys by the address that a trusted proxy names", function* () {
    const { get } = yield* serving({ PETSTORE_RATE_LIMIT: "2/1h", PETSTORE_TRUSTED_HOPS: "1" })
    const from = (address: string) =>
      Effect.map(
        get({ headers: { Authorization: "Bearer wrong", "X-Forwarded-For": address } }),
        ({ status }) => status
      )
    const first = [yield* from("192.0.2.1"), yield* from("192.0.2.1"), yield* from("192.0.2.1")]
    expect(first).toEqual([401, 401, 429])
    expect(yield* from("9.9.9.9, 192.0.2.1")).toBe(429)
    expect(yield* from("192.0.2.2")).toBe(401)
  })
})

live(
  "connections past PETSTORE_MAX_CONNECTIONS are refused while all others are busy",
  function* () {
    const { url } = yield* serving({ PETSTORE_MAX_CONNECTIONS: "5" })
    const within = yield* Effect.promise(() => openAll(url, 5))
    // Once the first request is answered, the second has arrived, too, and waits for its body.
    for (const client of within) client.send(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${postHead}`)
    expect(yield* Effect.promise(() => tally(within))).toEqual({ 200: 5 })
    const past = yield* Effect.promise(() => openAll(url, 1))
    for (const client of past) client.send(postHead)
    expect(yield* Effect.promise(() => tally(past))).toEqual({ 503: 1 })
    for (const client of within) client.socket.destroy()
  }
)

live(
  "a limit of open files that is too low for the connections is logged at the start",
  function* () {
    const program = yield* open(yield* folder, ["serve"], {
      environment: { DATABASE_URL: "memory:", PORT: "0", PETSTORE_MAX_CONNECTIONS: "401" },
      program: ["sh", "-c", 'ulimit -n 500 && exec "$@"', "sh", process.execPath, main]
    })
    yield* Effect.promise(() => program.url())
    const { stdout } = yield* Effect.promise(() => program.stop("SIGTERM"))
    expect(stdout).toContain("the limit of open files is 500")
  }
)

live("CORS lets pages of PETSTORE_CORS_ORIGINS call", function* () {
  const origins = "https://app.example.org, http://localhost:5173"
  const { get } = yield* serving({ PETSTORE_CORS_ORIGINS: origins })
  for (const [origin, allowed] of [
    ["http://localhost:5173", "http://localhost:5173"],
    ["https://evil.example", null]
  ] as const) {
    const answer = yield* get({ headers: { ...headers, Origin: origin } })
    expect(answer.headers.get("access-control-allow-origin")).toBe(allowed)
  }
})
