/** Backups in one folder, named by their time, of which the newest are kept. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { failed, innermost } from "../CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"
import type { DurableDatabase, Inspection } from "../databases/Database.ts"

// No other file is ever deleted.
const pattern = /^petstore-\d{4}-\d\d-\d\dT\d{6}Z\.db$/

/** The file for a backup of this time. */
export const fileAt = (folder: string, now: number): string =>
  join(folder, `petstore-${new Date(now).toISOString().replaceAll(/:|\.\d+/g, "")}.db`)

const attempt = <A>(evaluate: () => A) =>
  Effect.try({ try: evaluate, catch: (cause) => failed(String(cause), cause) })

/** The newest backups, and those before them. */
export const find = (folder: string, keep: number) =>
  attempt(() => {
    const files = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && pattern.test(entry.name))
      .map(({ name }) => join(folder, name))
      .sort()
    return { newest: files.slice(-keep), others: files.slice(0, -keep) }
  })

/** Fails with those that cannot be restored. */
export const verify = ({ inspectBackup }: DurableDatabase, files: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (inspectBackup === undefined) return
    const problems = yield* Effect.forEach(files, (file) =>
      Effect.match(inspectBackup(file), {
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
  switch (inspection.state) {
    case "sound":
    case "outdated":
      return undefined
    case "missing":
      return "it is gone"
    case "unwritable":
      return inspection.problem
    case "damaged":
      return inspection.problems.join("; ")
  }
}

/** Deletes backups. */
export const remove = (files: ReadonlyArray<string>) =>
  attempt(() => {
    for (const file of files) rmSync(file)
  })
