/** Empty databases for trials. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Replicated from "@petstore/local-postgres/Replicated"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Database } from "./Experiment.ts"

const folderIn = (parent: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(parent, "petstore-torture-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
  )

/** A folder that is removed with the scope. */
export const folder: Effect.Effect<string, never, Scope.Scope> = folderIn(tmpdir())

/** The same in memory, for an experiment whose figures must not depend on what else the disk does. */
export const folderInMemory: Effect.Effect<string, never, Scope.Scope> = folderIn("/dev/shm")

/** The URL of an SQLite file, and where it is. */
export const sqlite = (path: string): { readonly url: string; readonly file: string } => {
  const file = join(path, "petstore.db")
  return { url: `sqlite:${file}`, file }
}

/** Servers that are removed with the scope. */
const started = <A extends { readonly remove: () => Promise<void> }>(start: () => Promise<A>) =>
  Effect.acquireRelease(Effect.promise(start), ({ remove }) => Effect.promise(remove))

/** A PostgreSQL server that does not wait for the disk: nothing here cuts its power. */
export const postgres = started(() => LocalPostgres.start("fsync=off"))

/** A primary and its standby. */
export const replicated = (commits: Replicated.Commits) =>
  started(() => Replicated.start(commits, ...LocalPostgres.forTests))

/** An empty database, removed with the scope. */
export const make = (
  database: Database
): Effect.Effect<{ readonly url: string }, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (database === "sqlite") return sqlite(yield* folder)
    const server = yield* postgres
    return { url: yield* Effect.promise(server.createDatabase) }
  })
