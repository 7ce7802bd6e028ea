/** Checks what a server needs, and says how to fix what is wrong. */
import { type ApiKey, endOf, type Grant, stateAt } from "@petstore/access/ApiKey"
import type { Inspection } from "@petstore/store-sqlite/SqliteInspection"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as AppConfig from "./AppConfig.ts"
import { complaints, fromStore } from "./CommandFailed.ts"
import * as Keys from "./Keys.ts"

/** The result of one check, and how to fix it. */
export interface Finding {
  readonly subject: "configuration" | "database" | "clock" | "keys"
  readonly state: "good" | "warning" | "bad"
  readonly message: string
  readonly fix?: string
}

const good = (subject: Finding["subject"], message: string): Finding => ({
  subject,
  state: "good",
  message
})

/** Checks configuration, database, clock and keys, and changes none of them. */
export const examine: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const config = yield* Effect.either(AppConfig.AppConfig)
  const now = yield* Clock.currentTimeMillis
  if (Either.isLeft(config)) {
    return [...complaints(config.left).map(wrongVariable), examineClock([], now)]
  }
  const configuration = good("configuration", "every variable can be read")
  const { apiKeys, database } = config.right
  if (Option.isNone(database.upkeep)) {
    const message = `${database.url} forgets everything when its server stops`
    const fix = "set DATABASE_URL to sqlite:<file> to keep it"
    const forgetful: Finding = { subject: "database", state: "warning", message, fix }
    return [configuration, forgetful, examineClock([], now)]
  }
  const inspection = yield* Effect.either(database.upkeep.value.inspect)
  if (Either.isLeft(inspection)) {
    const { message } = fromStore(database)(inspection.left)
    return [configuration, { subject: "database", state: "bad", message }, examineClock([], now)]
  }
  const found = examineDatabase(database.url, inspection.right)
  if (inspection.right.state === "damaged") {
    return [configuration, found, examineClock([], now)]
  }
  const keys = inspection.right.state === "sound" ? inspection.right.keys : []
  const listed = Option.match(apiKeys, { onNone: () => [], onSome: Keys.grantsOf })
  return [configuration, found, examineClock(keys, now), examineKeys(keys, listed, now)]
})

const wrongVariable = (message: string): Finding => ({
  subject: "configuration",
  state: "bad",
  message
})

const examineDatabase = (url: string, inspection: Inspection): Finding => {
  const subject = "database"
  switch (inspection.state) {
    case "sound":
      return good(subject, `${url} is whole and holds ${inspection.pets} animals`)
    case "missing": {
      const fix = "petstore serve makes it"
      return { subject, state: "warning", message: `${url} is not there yet`, fix }
    }
    case "outdated": {
      const message = `${url} is of an earlier version (${inspection.missing} steps behind)`
      return { subject, state: "warning", message, fix: "petstore serve brings it up to date" }
    }
    case "damaged": {
      const message = `${url} is damaged (${inspection.problems.join("; ")})`
      return {
        subject,
        state: "bad",
        message,
        fix: "stop its servers and put a backup in its place"
      }
    }
  }
}

/** A clock before this release is wrong. A key from the future may come from another wrong clock. */
const examineClock = (keys: ReadonlyArray<ApiKey>, now: number): Finding => {
  const subject = "clock"
  const message = `it is ${new Date(now).toISOString()}`
  if (now < released) {
    return {
      subject,
      state: "bad",
      message: `${message}, before this release of ${new Date(released).toISOString().slice(0, 10)}`,
      fix: "set this machine's clock, or keys expire at the wrong time"
    }
  }
  const future = activeAt(keys, now).filter(({ created }) => created > now + tolerance)
  return future.length === 0
    ? good(subject, message)
    : {
        subject,
        state: "warning",
        message: `${message}; created in the future: ${idsOf(future)}`,
        fix: "check this machine's clock, or rotate these keys if another clock was wrong"
      }
}

/** As a server counts them: a key that is listed and was issued is what it was issued as. */
const examineKeys = (
  keys: ReadonlyArray<ApiKey>,
  listed: ReadonlyArray<Grant>,
  now: number
): Finding => {
  const subject = "keys"
  const active = activeAt(keys, now)
  const digests = new Set(listed.map(({ digest }) => digest))
  for (const { digest } of keys) digests.delete(digest)
  const count = active.length + digests.size
  if (count === 0) {
    return keys.length === 0
      ? {
          subject,
          state: "warning",
          message: "there is no key yet",
          fix: "the first petstore serve issues one"
        }
      : {
          subject,
          state: "bad",
          message: "no key is active",
          fix: "petstore keys create --name <name>"
        }
  }
  // A key that was rotated has its successor.
  const ending = active.filter((key) => key.retires === undefined && endOf(key) < now + soon)
  return ending.length === 0
    ? good(subject, `${count} active`)
    : {
        subject,
        state: "warning",
        message: `${count} active; soon to end: ${idsOf(ending)}`,
        fix: "petstore keys rotate <id>"
      }
}

const activeAt = (keys: ReadonlyArray<ApiKey>, now: number): ReadonlyArray<ApiKey> =>
  keys.filter((key) => stateAt(key, now) === "active")

/** The first ids, and how many more there are. */
const idsOf = (keys: ReadonlyArray<ApiKey>): string => {
  const first = keys.slice(0, mostNamed).map(({ id }) => id)
  const others = keys.length - first.length
  return first.join(", ") + (others > 0 ? ` and ${others} more` : "")
}

const mostNamed = 10
const released = Date.UTC(2026, 10, 1)
const tolerance = 60_000
const soon = 7 * 86_400_000
