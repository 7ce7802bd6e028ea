/** The log of changes of keys. */
import { expect } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as KeyLog from "../src/observe/KeyLog.ts"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"
import { run, serve } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"
import { createKey } from "./support/Stock.ts"

live(
  "has a line for each key that is created, rotated or revoked while the server runs",
  function* () {
    const path = yield* folder
    const { id: first } = yield* createKey(path)
    const { program } = yield* serve(path)
    const change = (...words: ReadonlyArray<string>) =>
      Effect.map(
        run(path, ["keys", ...words, "--json"]),
        ({ stdout }): string => JSON.parse(stdout).id
      )
    const has = (text: string) => Effect.promise(() => program.until(new RegExp(text)))
    const second = yield* change("create", "--name", "checkout", "--scope", "pets:read")
    yield* has(`${second} .checkout. was created`)
    const third = yield* change("rotate", second, "--overlap", "1h")
    yield* has(`${second} .checkout. was rotated`)
    yield* has(`${third} .checkout. was created`)
    yield* change("revoke", first)
    yield* has(`${first} .ci. was revoked`)
    yield* Effect.promise(() => program.stop("SIGTERM"))
    const lines = linesOf(program.stdout, /^API key/)
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatchObject({
      level: "info",
      message: `API key ${second} (checkout) was created, with pets:read`,
      keyId: second
    })
    const rotated = lines.find(
      ({ keyId, message }) => keyId === second && message !== lines[0]?.message
    )
    expect(rotated?.message).toMatch(/ was rotated; it ends at \d{4}-\d\d-\d\dT.*Z$/)
  }
)

live("has a line for each of what happened between two reads", function* () {
  const lines: Array<unknown> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => lines.push(...[message].flat()))
  )
  const key = {
    id: "0123456789",
    name: "ci",
    scopes: ["pets:read", "pets:write"],
    retires: 0,
    revoked: 0
  }
  const store = { changes: () => Effect.succeed({ keys: [key] }) }
  const { changes } = KeyLog.watch(store as never)
  yield* Effect.provide(changes("some version"), logger)
  yield* Effect.provide(changes("another"), logger)
  expect(lines).toEqual([
    "API key 0123456789 (ci) was created, with pets:read and pets:write",
    "API key 0123456789 (ci) was rotated; it ends at 1970-01-01T00:00:00.000Z",
    "API key 0123456789 (ci) was revoked"
  ])
})
