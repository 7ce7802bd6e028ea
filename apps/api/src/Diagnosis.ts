/** Checks what a server needs, and says how to fix what is wrong. */
import { type ApiKey, endOf, type Grant, stateAt } from "@petstore/access/ApiKey"
import type { Inspection } from "@petstore/store-sqlite/SqliteInspection"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as AppConfig from "./AppConfig.ts"
import { configMessages, fromStore } from "./CommandFailed.ts"
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
    return [...configMessages(config.left).map(wrongVariable), examineClock([], now)]
  }
  const configuration = good("configuration", "all variables are valid")
  const { apiKeys, database } = config.right
  if (Option.isNone(database.upkeep)) {
    const message = `${database.url} is lost when the server stops`
    const fix = "set DATABASE_URL to sqlite:<file> to persist it"
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
      return good(subject, `${url} is intact and holds ${inspection.pets} pets`)
    case "missing": {
      const fix = "petstore serve creates it"
      return { subject, state: "warning", message: `${url} does not exist yet`, fix }
    }
    case "outdated": {
      const message = `${url} has an older schema (${inspection.missing} migrations missing)`
      return { subject, state: "warning", message, fix: "petstore serve migrates it" }
    }
    case "damaged": {
      const message = `${url} is damaged (${inspection.problems.join("; ")})`
      return {
        subject,
        state: "bad",
        message,
        fix: "stop its servers and restore a backup"
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

/** Counts keys as a server does: an issued key that the environment also lists counts once. */
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
  // A rotated key has a successor already.
  const ending = active.filter((key) => key.retires === undefined && endOf(key) < now + soon)
  return ending.length === 0
    ? good(subject, `${count} active`)
    : {
        subject,
        state: "warning",
        message: `${count} active; ending soon: ${idsOf(ending)}`,
        fix: "petstore keys rotate <id>"
      }
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
