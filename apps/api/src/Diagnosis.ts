/** Checks what a server needs, and says how to fix what is wrong. */
import { type ApiKey, endOf, type Grant, stateAt } from "@petstore/access/ApiKey"
import type { Inspection } from "@petstore/store-sqlite/SqliteInspection"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as AppConfig from "./AppConfig.ts"
import { configMessages, fromStore } from "./CommandFailed.ts"
import { type Database, isDurable } from "./Databases.ts"
import * as Keys from "./Keys.ts"

/** The result of one check, and how to fix it. */
export interface Finding {
  readonly subject: "configuration" | "database" | "clock" | "keys"
  readonly state: "good" | "warning" | "bad"
  readonly message: string
  readonly fix?: string
}

const about =
  (subject: Finding["subject"]) =>
  (state: Finding["state"], message: string, fix?: string): Finding => ({
    subject,
    state,
    message,
    ...(fix !== undefined && { fix })
  })

const configuration = about("configuration")
const database = about("database")
const clock = about("clock")
const keys = about("keys")

/** Checks configuration, database, clock and keys, and changes none of them. */
export const examine: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const config = yield* Effect.either(AppConfig.AppConfig)
  if (Either.isLeft(config)) {
    const messages = configMessages(config.left)
    return [...messages.map((message) => configuration("bad", message)), examineClock([], now)]
  }
  const stored = yield* examineDatabase(config.right.database)
  const findings = [
    configuration("good", "all variables are valid"),
    stored.finding,
    examineClock(stored.keys ?? [], now)
  ]
  return stored.keys === undefined
    ? findings
    : [...findings, examineKeys(stored.keys, Keys.grantsOf(config.right.apiKeys), now)]
})

/** The state of the database, and its keys if they can be read. */
interface Stored {
  readonly finding: Finding
  readonly keys?: ReadonlyArray<ApiKey>
}

const examineDatabase = (named: Database): Effect.Effect<Stored> => {
  if (isDurable(named)) {
    return Effect.match(named.inspect, {
      onFailure: (error) => ({ finding: database("bad", fromStore(named)(error).message) }),
      onSuccess: (inspection) => storedIn(named.url, inspection)
    })
  }
  const message = `${named.url} is lost when the server stops`
  const fix = "set DATABASE_URL to sqlite:<file> to persist it"
  return Effect.succeed({ finding: database("warning", message, fix) })
}

const storedIn = (url: string, inspection: Inspection): Stored => {
  switch (inspection.state) {
    case "sound": {
      const message = `${url} is intact and holds ${inspection.pets} pets`
      return { finding: database("good", message), keys: inspection.keys }
    }
    case "missing": {
      const message = `${url} does not exist yet`
      return { finding: database("warning", message, "petstore serve creates it"), keys: [] }
    }
    case "outdated": {
      const message = `${url} has an older schema (${inspection.missing} migrations missing)`
      return { finding: database("warning", message, "petstore serve migrates it"), keys: [] }
    }
    case "damaged": {
      const message = `${url} is damaged (${inspection.problems.join("; ")})`
      return { finding: database("bad", message, "stop its servers and restore a backup") }
    }
  }
}

/** A clock before this release is wrong. A key from the future may come from another wrong clock. */
const examineClock = (keys: ReadonlyArray<ApiKey>, now: number): Finding => {
  const message = `it is ${new Date(now).toISOString()}`
  if (now < released) {
    const release = new Date(released).toISOString().slice(0, 10)
    const fix = "set this machine's clock, or keys expire at the wrong time"
    return clock("bad", `${message}, before this release of ${release}`, fix)
  }
  const future = activeAt(keys, now).filter(({ created }) => created > now + tolerance)
  if (future.length === 0) return clock("good", message)
  const fix = "check this machine's clock, or rotate these keys if another clock was wrong"
  return clock("warning", `${message}; created in the future: ${idsOf(future)}`, fix)
}

/** Counts keys as a server does: an issued key that the environment also lists counts once. */
const examineKeys = (
  issued: ReadonlyArray<ApiKey>,
  listed: ReadonlyArray<Grant>,
  now: number
): Finding => {
  const active = activeAt(issued, now)
  const digests = new Set(listed.map(({ digest }) => digest))
  for (const { digest } of issued) digests.delete(digest)
  const count = active.length + digests.size
  if (count === 0) {
    return issued.length === 0
      ? keys("warning", "there is no key yet", "the first petstore serve issues one")
      : keys("bad", "no key is active", "petstore keys create --name <name>")
  }
  // A rotated key has a successor already.
  const ending = active.filter((key) => key.retires === undefined && endOf(key) < now + soon)
  if (ending.length === 0) return keys("good", `${count} active`)
  const message = `${count} active; ending soon: ${idsOf(ending)}`
  return keys("warning", message, "petstore keys rotate <id>")
}

const activeAt = (keys: ReadonlyArray<ApiKey>, now: number): ReadonlyArray<ApiKey> =>
  keys.filter((key) => stateAt(key, now) === "active")

/** The first ids, and the number of others. */
const idsOf = (keys: ReadonlyArray<ApiKey>): string => {
  const first = keys.slice(0, mostNamed).map(({ id }) => id)
  const others = keys.length - first.length
  return first.join(", ") + (others > 0 ? ` and ${others} more` : "")
}

const mostNamed = 10
const released = Date.UTC(2026, 10, 1)
const tolerance = 60_000
const soon = 7 * 86_400_000
