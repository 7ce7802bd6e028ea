/** Checks a file without changing it. */
import { randomUUID } from "node:crypto"
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  statSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import type { ApiKey } from "@petstore/access/ApiKey"
import { maxNameLength } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Connection from "./internal/Connection.ts"
import * as DatabaseFile from "./internal/DatabaseFile.ts"
import type { Database } from "./internal/Driver.ts"
import * as Migrations from "./internal/Migrations.ts"
import * as SqliteApiKeyStore from "./internal/SqliteApiKeyStore.ts"
import * as SqliteFailure from "./internal/SqliteFailure.ts"

/** The result of an inspection. */
export type Inspection =
  | { readonly state: "missing" }
  | { readonly state: "outdated"; readonly missing: number }
  | { readonly state: "unwritable" | "damaged"; readonly problems: ReadonlyArray<string> }
  | {
      readonly state: "sound"
      /** The database system and its version. */
      readonly system: string
      readonly pets: number
      /** The first pets whose names are longer than those that are added now. */
      readonly longNames: ReadonlyArray<bigint>
      readonly keys: ReadonlyArray<ApiKey>
    }

/** The keys in a file. Does not wait for locks. */
export const keys = (filename: string): Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable> =>
  Effect.flatMap(Connection.openToRead(filename, 0), (database) =>
    SqliteFailure.attempt(() => SqliteApiKeyStore.checkedKeys(database))
  ).pipe(Effect.scoped)

/**
 * Inspects a file: whether it exists, can be written, is whole and has this version's schema. Fails for a newer
 * schema, for what is not a file, and if the driver cannot be loaded.
 */
export const run = (filename: string): Effect.Effect<Inspection, StoreUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Connection.open(":memory:", {})
      const target = yield* SqliteFailure.attempt(() => DatabaseFile.targetOf(filename))
      const found = yield* SqliteFailure.attempt(() => statSync(target, { throwIfNoEntry: false }))
      if (found?.isFile() === false) return yield* SqliteFailure.from(new Error("it is not a file"))
      const problem = problemOf(target)
      if (problem !== undefined) return { state: "unwritable", problems: [problem] }
      if (found === undefined) return { state: "missing" }
      const database = yield* Connection.openToRead(filename, 1000)
      return yield* SqliteFailure.attempt(() => inspect(database))
    })
  )

/** More than a few writes need. */
const trialBytes = 1024 * 1024

/** Why the file and its folder cannot be written, if so. Tries it: permissions do not tell everything. */
const problemOf = (target: string): string | undefined => {
  try {
    if (existsSync(target)) accessSync(target, constants.W_OK)
    const path = join(nearestFolder(dirname(target)), `.petstore-${randomUUID()}`)
    const trial = openSync(path, "wx", 0o600)
    try {
      // At once, so that nothing is left if this process is killed.
      unlinkSync(path)
      // On a full disk the database cannot grow, while it can be opened and read.
      writeFileSync(trial, Buffer.alloc(trialBytes), { flush: true })
    } finally {
      closeSync(trial)
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A missing folder will be created in one that exists. */
const nearestFolder = (path: string): string =>
  existsSync(path) ? path : nearestFolder(dirname(path))

const countsValid = `SELECT count(*) = 1
    AND min(count, removed) >= 0 AND max(count, removed) <= ${Number.MAX_SAFE_INTEGER}
  FROM api_key_changes`

const inspect = (database: Database): Inspection => {
  const { missing, problems: foreign } = Migrations.examine(database)
  if (foreign.length > 0) return { state: "damaged", problems: foreign }
  const found = database.prepare<[string], []>("PRAGMA integrity_check(10)").all()
  if (found.length !== 1 || found[0]?.[0] !== "ok") {
    return { state: "damaged", problems: found.flatMap(([text]) => text.split("\n")) }
  }
  if (missing > 0) return { state: "outdated", missing }
  const pets = Number(database.value("SELECT count(*) FROM pets"))
  const petsWith = (condition: string) =>
    database
      .prepare<[id: bigint], []>(`SELECT id FROM pets WHERE ${condition} LIMIT 10`)
      .all()
      .map(([id]) => id)
  // Rows that are invalid in any other way break a constraint, which SQLite's own check finds.
  const invalidPets = petsWith("instr(name, char(0)) > 0")
  const longNames = petsWith(`length(name) > ${maxNameLength}`)
  // With other counts no key could be changed.
  const areCountsValid = database.value(countsValid) === 1n
  const { invalid, keys } = SqliteApiKeyStore.readAll(database)
  const system = `SQLite ${database.value("SELECT sqlite_version()")}`
  const problems = [
    ...invalidPets.map((id) => `the name of pet ${id} contains U+0000`),
    ...invalid.map((id) => `the row of key ${id} is not a valid key`),
    ...(areCountsValid ? [] : ["api_key_changes does not have one row with valid counts"])
  ]
  return problems.length === 0
    ? { state: "sound", system, pets, longNames, keys }
    : { state: "damaged", problems }
}
