/** `petstore backup` copies the database while it is in use; `petstore restore` puts the copy in its place. */
import type { ApiKey } from "@petstore/access/ApiKey"
import type { Restored } from "@petstore/store-sqlite/SqliteRestore"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "../cli/Command.ts"
import * as Flag from "../cli/Flag.ts"
import { wholeNumber } from "../cli/Parse.ts"
import * as Progress from "../cli/Progress.ts"
import * as Terminal from "../cli/Terminal.ts"
import * as Keys from "../service/Keys.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database, databaseFile } from "./CommonFlags.ts"
import * as KeptBackups from "./KeptBackups.ts"

export const backup = Command.make(
  {
    name: "backup",
    runsToTheEnd: true,
    about: "copy the database to a file while servers use it",
    notes: ["petstore restore puts it back.", "For PostgreSQL, use pg_dump."],
    examples: [
      "petstore backup pets-2026-11-15.db",
      "petstore backup /var/backups/petstore --keep 7 --verify"
    ],
    flags: {
      file: databaseFile(
        "the file to create; an existing file is not overwritten; with --keep, the folder"
      ),
      keep: Flag.optional(
        "--keep NUMBER",
        "name the file after the time and keep the newest NUMBER backups of this database",
        wholeNumber(1, 10_000)
      ),
      verifies: Flag.toggle(
        "--verify",
        "check the new and the kept backups, as petstore doctor does"
      ),
      database
    }
  },
  // The copy is interruptible until it gets its name; after that it is done.
  Effect.fnUntraced(function* ({ file, keep, verifies }) {
    const database = yield* CommandDatabase.existing
    const progress = yield* Progress.make
    const now = yield* Clock.currentTimeMillis
    const to = keep === undefined ? file : KeptBackups.fileAt(file, now)
    const backups = yield* database.backups
    const explained = CommandDatabase.explained(database)
    yield* explained(backups.make(to, progress.show))
    const { newest, notes, others } =
      keep === undefined
        ? { newest: [to], others: [], notes: [] }
        : yield* explained(KeptBackups.find(backups, to, keep))
    if (verifies) yield* KeptBackups.verify(backups, newest)
    yield* KeptBackups.remove(others)
    const kept = keep === undefined ? "" : `; ${newest.length} kept, ${others.length} deleted`
    const done = `copied ${database.url} to ${to}; petstore restore puts it back${kept}`
    yield* progress.finish([done, ...notes].join("\n"))
  })
)

const replaces = Flag.toggle(
  "--replace",
  "replace an existing database; it is kept next to the new one, under another name"
)

export const restore = Command.make(
  {
    name: "restore",
    runsToTheEnd: true,
    about: "restore the database from a backup",
    notes: [
      "Stop the servers first: it fails while another process has the database open.",
      "The backup is checked before anything changes.",
      "With --replace, ids that the old database had assigned are not reused.",
      "Keys come from the backup: those revoked since work again, those created since do not work.",
      "For PostgreSQL, use pg_restore."
    ],
    flags: { file: databaseFile("the backup, which petstore backup made"), replaces, database }
  },
  // The copy is interruptible until it gets its name; after that it is done.
  Effect.fnUntraced(function* ({ file, replaces }) {
    const database = yield* CommandDatabase.durable
    const progress = yield* Progress.make
    const { restore } = yield* database.backups
    const options = { backup: file, replaces, onProgress: progress.show }
    const restored = yield* CommandDatabase.explained(database)(restore(options))
    const content = `restored ${database.url} from ${file}: ${contentOf(restored)}`
    const notes = notesOn(restored, yield* Clock.currentTimeMillis)
    yield* progress.finish([content, ...notes].join("\n"))
  })
)

const contentOf = ({ content }: Restored): string =>
  Option.match(content, {
    onNone: () => "it has an older schema, which petstore serve migrates",
    onSome: ({ keys, pets }) =>
      `${Terminal.count(pets, "pet")} and ${Terminal.count(keys.length, "key")}`
  })

/** Where the old database is, whether its ids are unknown, and which keys work or do not work because of the backup. */
const notesOn = ({ content, replaced }: Restored, now: number): ReadonlyArray<string> => {
  const onOld = Option.match(replaced, {
    onNone: () => [],
    onSome: ({ file, lastId }) => [
      `the old database is ${file}`,
      ...(Option.isNone(lastId) ? [idsUnknown] : [])
    ]
  })
  const known = Option.all([content, Option.flatMap(replaced, ({ keys }) => keys)])
  const onKeys = Option.match(known, {
    onNone: () => ["keys revoked since the backup work again: see petstore keys list"],
    onSome: ([{ keys }, oldKeys]) => changes(keys, oldKeys, now)
  })
  return [...onOld, ...onKeys]
}

const idsUnknown =
  "the ids of the old database cannot be read: new pets may get ids of pets that were added after the backup"

const hasSameId = (one: ApiKey, other: ApiKey) => one.id === other.id
const without = Arr.differenceWith(hasSameId)

/** What changed for keys, between those of the backup and those of the old database. */
const changes = (keys: ReadonlyArray<ApiKey>, old: ReadonlyArray<ApiKey>, now: number) => {
  const active = Keys.activeAt(keys, now)
  const oldActive = Keys.activeAt(old, now)
  const again = Arr.intersectionWith(hasSameId)(active, without(old, oldActive))
  const lost = without(oldActive, active)
  return [
    again.length > 0 &&
      `these keys work again, although they were revoked or expired after the backup: ${Keys.idsOf(again)}; revoke them with petstore keys revoke`,
    lost.length > 0 &&
      `these keys no longer work, because they were created after the backup: ${Keys.idsOf(lost)}`
  ].filter((line) => line !== false)
}
