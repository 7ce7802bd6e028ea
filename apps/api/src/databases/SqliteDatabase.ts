/** A database in a file, with SQLite. Its driver is loaded only if it is used. */
import { realpathSync, statSync, writeFileSync } from "node:fs"
import { stat, statfs } from "node:fs/promises"
import { isAbsolute, resolve } from "node:path"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import type { CopyFailed } from "@petstore/store-sqlite/CopyFailed"
import { DriverNotLoaded } from "@petstore/store-sqlite/DriverNotLoaded"
import * as SqliteWriter from "@petstore/store-sqlite/SqliteWriter"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { failed, unavailable } from "../cli/CommandFailed.ts"
import {
  type Backups,
  type DurableDatabase,
  explain,
  type FileState,
  type Kind
} from "./Database.ts"

/** `sqlite:/file` and `sqlite:///file` are absolute; `sqlite::name:` and `sqlite://host` are not files. */
const pattern = /^sqlite:(?:\/\/(?=\/))?(?!:|\/\/)(\S.*)$/s

/** The databases of URLs such as `sqlite:data/petstore.db`. */
export const kind: Kind = {
  form: "sqlite:<file>",
  parse: (text) => {
    // The driver ignores spaces around names, the file system does not.
    const [, filename] = pattern.exec(text.trim()) ?? []
    return filename === undefined ? undefined : make(filename)
  }
}

/** The store, whose driver may be missing. */
const sqlite = Effect.tryPromise({
  try: () => import("@petstore/store-sqlite"),
  catch: (error) => {
    const cause = new DriverNotLoaded({
      cause: error instanceof Error ? error : new Error(String(error))
    })
    return new StoreUnavailable({ reason: "down", cause })
  }
})

/** Not normalized: what `..` after a link leads to, only the file system knows. */
const absolute = (filename: string): string =>
  isAbsolute(filename) ? filename : `${resolve()}/${filename.replace(/^(?:\.\/+)+/, "")}`

const urlOf = (filename: string): string => `sqlite:${absolute(filename)}`

const make = (filename: string): DurableDatabase => ({
  get url() {
    return urlOf(filename)
  },
  explain: explainWith(() => urlOf(filename), {
    busy: "another process has locked it; try again later",
    full: "free up space on its disk",
    "read-only": "make its file and its folder writable for this user",
    damaged:
      "if a pet is named, correct it; else restore a backup, or set DATABASE_URL to another file",
    incompatible:
      "run the version of petstore that created it, or set DATABASE_URL to another file",
    down: "check that its file is there, and that this user can write it and its folder"
  }),
  load: SqliteWriter.preload,
  layer: (options) => {
    options.events?.onFile(() => stateOf(filename))
    return Layer.unwrapEffect(
      Effect.map(sqlite, ({ SqliteStores }) => SqliteStores.layer({ filename, ...options }))
    )
  },
  // A file that may not be read is there.
  exists: Effect.try({
    try: () => statSync(filename, { throwIfNoEntry: false }) !== undefined,
    catch: (cause) => new StoreUnavailable({ reason: "down", cause })
  }),
  inspect: inspect(filename),
  file: Effect.tryPromise(() => stateOf(filename)),
  lastAssigned: Effect.flatMap(sqlite, ({ SqliteIds }) => SqliteIds.last(filename)),
  raiseLastAssigned: (id) =>
    Effect.flatMap(sqlite, ({ SqliteIds }) => SqliteIds.raise(filename, id)),
  backups: Effect.succeed(backupsOf(filename))
})

const inspect = (filename: string) =>
  Effect.flatMap(sqlite, ({ SqliteInspection }) => SqliteInspection.run(filename))

const backupsOf = (filename: string): Backups => ({
  make: (to, onProgress) =>
    Effect.flatMap(sqlite, ({ SqliteBackup }) =>
      SqliteBackup.run({ filename, to, onProgress })
    ).pipe(
      Effect.catchTag("CopyFailed", fromCopy("choose another name")),
      Effect.zipLeft(Effect.ignore(Effect.try(() => writeFileSync(noteOf(filename), `${to}\n`))))
    ),
  compare: (file, backup) =>
    Effect.map(sqlite, ({ SqliteBackup }) => SqliteBackup.compare({ filename, file, backup })),
  inspect,
  restore: (options) =>
    Effect.flatMap(sqlite, ({ SqliteRestore }) =>
      SqliteRestore.run({ filename: absolute(filename), ...options })
    ).pipe(
      Effect.catchTag(
        "CopyFailed",
        fromCopy("add --replace to replace it; it is kept under another name")
      )
    )
})

/** The file whose time is that of the last backup; it is beside the database, so that servers find it. */
const noteOf = (filename: string): string => `${realpathSync(filename)}.last-backup`

const stateOf = async (filename: string): Promise<FileState> => {
  const { bavail, bsize } = await statfs(filename)
  const { size: bytes } = await stat(filename)
  const log = await stat(`${realpathSync(filename)}-wal`).catch(() => undefined)
  const note = await stat(noteOf(filename)).catch(() => undefined)
  const [logBytes, lastBackup] = [log?.size ?? 0, note?.mtimeMs ?? 0]
  return { freeBytes: bavail * bsize, bytes, logBytes, lastBackup }
}

/** A driver that is not loaded says itself what to do. */
const explainWith =
  (url: () => string, remedies: Parameters<typeof explain>[1]): DurableDatabase["explain"] =>
  (error) =>
    error.cause instanceof DriverNotLoaded ? error.cause.message : explain(url(), remedies)(error)

/** What is wrong with a file, and what to do about it. An unusable or unwritable one says itself why. */
const fromCopy = (ifExists: string) => (error: CopyFailed) => {
  switch (error.reason) {
    case "exists":
      return failed(`${error.message}: ${ifExists}`)
    case "in-use":
      return unavailable(`${error.message}: stop its servers first`)
    case "log-left":
      return failed(`${error.message}: move it away first`)
    default:
      return failed(error.message, error)
  }
}
