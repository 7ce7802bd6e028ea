/** `petstore doctor`: reports problems and how to fix them. */
import { type ApiKey, endOf, type Grant } from "@petstore/access/ApiKey"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Command from "../cli/Command.ts"
import { configMessages, failed } from "../cli/CommandFailed.ts"
import { table } from "../cli/Table.ts"
import * as Terminal from "../cli/Terminal.ts"
import {
  type Database,
  type Durability,
  type FileState,
  type Inspection,
  isDurable
} from "../databases/Database.ts"
import * as Databases from "../databases/Databases.ts"
import * as Keys from "../service/Keys.ts"
import * as OtherService from "../service/OtherService.ts"
import * as AppConfig from "../settings/AppConfig.ts"
import * as UnknownVariables from "../settings/UnknownVariables.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database, json } from "./CommonFlags.ts"

export const command = Command.make(
  {
    name: "doctor",
    about: "check configuration, service, database, disk, clock and keys, and suggest fixes",
    notes: [
      "It changes nothing: a trial file beside the database is removed at once. It exits with 1 if a check fails."
    ],
    flags: { database, json }
  },
  Effect.fnUntraced(function* ({ json }) {
    const findings = yield* examine
    const rows = findings.map(({ fix, message, state, subject }) => [
      subject,
      state,
      fix === undefined ? message : `${message}: ${fix}`
    ])
    yield* json ? Terminal.printJson(findings) : table(["CHECK", "STATE", "FOUND"], colours)(rows)
    const bad = findings.filter(({ state }) => state === "bad").length
    if (bad > 0) return yield* failed(`${Terminal.count(bad, "check")} failed`)
  }, Effect.provide(CommandDatabase.logging))
)

const colours = { good: "green", warning: "yellow", bad: "red" } as const
type State = keyof typeof colours

/** The result of one check, and how to fix it. */
const finding = (
  subject: "configuration" | "service" | "database" | "disk" | "durability" | "clock" | "keys",
  state: State,
  message: string,
  fix?: string
) => ({ subject, state, message, fix })

/** Checks configuration, database, clock and keys, and changes none of them. */
const examine = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const unknown = (yield* UnknownVariables.find).map(({ fix, message }) =>
    finding("configuration", "warning", message, fix)
  )
  const config = yield* Effect.either(AppConfig.AppConfig)
  if (Either.isLeft(config)) {
    const invalid = configMessages(config.left).map((message) =>
      finding("configuration", "bad", message)
    )
    return [...invalid, ...unknown, examineClock([], now)]
  }
  const { apiKeys, database, host, isReadOnly, port } = config.right
  const durable = isDurable(database) ? database : undefined
  const service = yield* OtherService.at(host, port)
  const { found, keys } = yield* examineDatabase(database, Option.isSome(service))
  return [
    ...(unknown.length > 0
      ? unknown
      : [finding("configuration", "good", "all variables are valid")]),
    ...(isReadOnly ? [finding("configuration", "warning", ...readOnly)] : []),
    finding(
      "service",
      "good",
      `${Option.getOrElse(service, () => "no Pet Store")} answers at ${host}:${port}`
    ),
    found,
    ...(yield* ifKnown(durable?.file, examineDisk)),
    ...(yield* ifKnown(durable?.durability, examineDurability)),
    examineClock(keys ?? [], now),
    ...(keys === undefined ? [] : [examineKeys(keys, Keys.grantsOf(apiKeys), now)])
  ]
})

/** The state of the database, and its keys if they can be read. */
const examineDatabase = (database: Database, isServed: boolean) => {
  const { explain, url } = database
  if (isDurable(database)) {
    return Effect.match(database.inspect, {
      onFailure: (error) => ({
        found: finding("database", "bad", explain(error)),
        keys: undefined
      }),
      onSuccess: (inspection) => ({
        found: stateOf(url, inspection, isServed),
        keys: keysIn(inspection)
      })
    })
  }
  const fix = `set DATABASE_URL to ${Databases.durableForms} to persist it`
  const message = `${url} is lost when the server stops`
  return Effect.succeed({ found: finding("database", "warning", message, fix), keys: undefined })
}

const keysIn = (inspection: Inspection): ReadonlyArray<ApiKey> | undefined => {
  if (inspection.state === "sound") return inspection.keys
  return "problems" in inspection ? undefined : []
}

const stateOf = (url: string, inspection: Inspection, isServed: boolean) => {
  const found = (state: State, message: string, fix?: string) =>
    finding("database", state, `${url} ${message}`, fix)
  const problem = "problems" in inspection ? inspection.problems.join("; ") : ""
  switch (inspection.state) {
    case "sound": {
      const pets = Terminal.count(inspection.pets, "pet")
      const message = `is intact and holds ${pets}, in ${inspection.system}`
      const ids = inspection.longNames.join(", ")
      if (ids === "") return found("good", message)
      const fix = "correct these pets; they are served as they are"
      return found("warning", `${message}; names longer than 1,000 characters: ${ids}`, fix)
    }
    case "missing":
      return isServed
        ? found(
            "bad",
            "is not set up: the service uses another database",
            "pass its settings by --env-file"
          )
        : found("warning", "is not set up yet", "petstore serve does it")
    case "unwritable": {
      const fix = /^(?:ENOSPC|EDQUOT|EFBIG)\b/.test(problem)
        ? "free up space on its disk; reads go on, and creates may get 503 until then"
        : "make its file and its folder writable for this user"
      return found("bad", `cannot be written (${problem})`, fix)
    }
    case "outdated": {
      const message = `has an older schema (${inspection.missing} migrations missing)`
      return found("warning", message, "petstore serve migrates it")
    }
    case "damaged": {
      const fix =
        "if a pet is named, correct it; else stop its servers and restore a backup, or set DATABASE_URL to another file"
      return found("bad", `is damaged (${problem})`, fix)
    }
  }
}

/** What is found, or nothing if the database does not have that or does not answer. */
const ifKnown = <A>(
  known: Effect.Effect<A, unknown> = Effect.fail("absent"),
  judge: (found: A) => ReturnType<typeof finding>
) => Effect.match(known, { onFailure: () => [], onSuccess: (found) => [judge(found)] })

const examineDisk = ({ freeBytes }: FileState) => {
  const free =
    freeBytes < 1e9 ? `${Math.round(freeBytes / 1e6)} MB` : `${Math.round(freeBytes / 1e9)} GB`
  const message = `${free} are free on the disk of the database`
  return freeBytes < minFreeBytes
    ? finding("disk", "warning", message, "free up space, or enlarge the file system")
    : finding("disk", "good", message)
}

const examineDurability = ({ found, problems }: Durability) =>
  problems.length === 0
    ? finding("durability", "good", found)
    : finding("durability", "warning", found, problems.join("; "))

/** A clock before this release is wrong, and so is probably one long after it. A key from the future may come from another wrong clock. */
const examineClock = (keys: ReadonlyArray<ApiKey>, now: number) => {
  const message = `it is ${new Date(now).toISOString()}`
  if (now < Date.parse(released)) {
    const fix = "set this machine's clock, or keys expire at the wrong time"
    return finding("clock", "bad", `${message}, before this release of ${released}`, fix)
  }
  if (now > Date.parse(released) + maxAge) {
    const fix = "check this machine's clock, or install a newer release"
    return finding("clock", "warning", `${message}, years after this release of ${released}`, fix)
  }
  const future = Keys.activeAt(keys, now).filter(({ created }) => created > now + tolerance)
  if (future.length === 0) return finding("clock", "good", message)
  const found = `${message}; created in the future: ${Keys.idsOf(future)}`
  const fix = "check this machine's clock, or rotate these keys if another clock was wrong"
  return finding("clock", "warning", found, fix)
}

/** Counts keys as a server does: an issued key that the environment also lists counts once. */
const examineKeys = (issued: ReadonlyArray<ApiKey>, listed: ReadonlyArray<Grant>, now: number) => {
  const active = Keys.activeAt(issued, now)
  const digests = new Set(listed.map(({ digest }) => digest))
  for (const { digest } of issued) digests.delete(digest)
  const count = active.length + digests.size
  if (count === 0) {
    const fix = "petstore keys create --name <name>"
    return issued.length === 0
      ? finding("keys", "warning", "there is no key yet", fix)
      : finding("keys", "bad", "no key is active", fix)
  }
  // A rotated key has a successor already.
  const ending = active.filter((key) => key.retires === undefined && endOf(key) < now + soon)
  if (ending.length === 0) return finding("keys", "good", `${count} active`)
  const message = `${count} active; ending soon: ${Keys.idsOf(ending)}`
  return finding("keys", "warning", message, "petstore keys rotate <id>")
}

const readOnly = ["PETSTORE_READ_ONLY is set: creates get 503", "remove it to allow them"] as const
const released = "2026-11-01"
/** As in `docs/alerts.yml`. */
const minFreeBytes = 1e9
/** How long after a release a clock is believed. */
const maxAge = 3 * 365 * 86_400_000
const tolerance = 60_000
const soon = 7 * 86_400_000
