/** Backups of one database in a folder, named by their time, of which the newest are kept. */
import { readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { failed, innermost } from "../cli/CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"
import type { Backups, Inspection } from "../databases/Database.ts"

// No other file is ever deleted.
const pattern = /^petstore-\d{4}-\d\d-\d\dT\d{6}Z\.db$/

export const fileAt = (folder: string, now: number): string =>
  join(folder, `petstore-${new Date(now).toISOString().replaceAll(/:|\.\d+/g, "")}.db`)

const attempt = <A>(evaluate: () => A) =>
  Effect.try({ try: evaluate, catch: (cause) => failed(String(cause), cause) })

/**
 * The newest backups up to the one that was just made, those before them, and notes on files that may or may not be
 * backups of the same database. Those of other databases are ignored.
 */
export const find = ({ compare }: Backups, made: string, keep: number) =>
  Effect.gen(function* () {
    const entries = yield* attempt(() => readdirSync(dirname(made), { withFileTypes: true }))
    const files = entries
      .filter((entry) => entry.isFile() && pattern.test(entry.name))
      .map(({ name }) => join(dirname(made), name))
      .filter((file) => file !== made)
      .sort()
    const kinds = yield* Effect.forEach(files, (file) => compare(file, made))
    const same = files.filter((_, nth) => kinds[nth] === "same")
    const unknown = files.filter((_, nth) => kinds[nth] === "unknown")
    const [earlier, later] = Arr.partition(same, (file) => file > made)
    const first = Math.max(0, earlier.length - keep + 1)
    return {
      newest: [...earlier.slice(first), made],
      others: earlier.slice(0, first),
      notes: [
        ...noteOn(later, "are dated after this one (check the clock)"),
        ...noteOn(unknown, "may be of another database, or in use as one")
      ]
    }
  })

const noteOn = (files: ReadonlyArray<string>, why: string): ReadonlyArray<string> =>
  files.length === 0
    ? []
    : [`neither counted nor deleted, because they ${why}: ${files.join(", ")}`]

/** Fails with those that cannot be restored. */
export const verify = ({ inspect }: Backups, files: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const problems = yield* Effect.forEach(files, (file) =>
      Effect.match(inspect(file), {
        onFailure: (error) => innermost(error).message,
        onSuccess: problemOf
      }).pipe(Effect.map((problem) => problem && `${file} (${problem})`))
    )
    const found = problems.filter(Predicate.isNotUndefined)
    if (found.length > 0) {
      const backups = Terminal.count(found.length, "backup")
      return yield* failed(
        `${backups} cannot be restored, so none was deleted: move away ${found.join(", ")}`
      )
    }
  })

/** An older schema is migrated after a restore. */
const problemOf = (inspection: Inspection): string | undefined => {
  if (inspection.state === "missing") return "it is gone"
  return "problems" in inspection ? inspection.problems.join("; ") : undefined
}

export const remove = (files: ReadonlyArray<string>) =>
  attempt(() => {
    for (const file of files) rmSync(file, { force: true })
  })
