/** Tests in real time, each with a scope and folders of its own. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect, type Scope, type Utils } from "effect"

/** Environment variables. */
export type Environment = Readonly<Record<string, string>>

/** What the programs of a folder find in their environment besides what a test adds. */
const environments = new Map<string, Environment>()

/** A temporary folder, removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-api-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The same; its programs use a new database of PostgreSQL. */
export const folderOnPostgres = Effect.gen(function* () {
  const path = yield* folder
  environments.set(path, { DATABASE_URL: yield* SharedPostgres.database })
  yield* Effect.addFinalizer(() => Effect.sync(() => environments.delete(path)))
  return path
})

/** The PostgreSQL database of a folder's programs, if they use one. */
export const postgresOf = (path: string): string | undefined =>
  environments.get(path)?.["DATABASE_URL"]

/** The databases that survive a restart, each with a folder for its programs. */
export const places: Readonly<
  Record<"SQLite" | "PostgreSQL", Effect.Effect<string, never, Scope.Scope>>
> = {
  SQLite: folder,
  PostgreSQL: folderOnPostgres
}

/** The environment of a program. That of the tests does not reach it. */
export const environmentOf = (path: string, given: Environment): Environment => ({
  PATH: process.env["PATH"] ?? "",
  ...environments.get(path),
  ...given
})

/** What a test does. */
export type Steps<R = never> = Generator<
  Utils.YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope | R>>,
  unknown,
  never
>

const one = (name: string, steps: () => Steps) => it.scopedLive(name, () => Effect.gen(steps))

/** A test, or one for each of these cases. */
export const live = Object.assign(one, {
  each:
    <const Case>(cases: ReadonlyArray<Case>) =>
    (name: string, steps: (given: Case) => Steps) =>
      it.scopedLive.each([...cases])(name, (given) => Effect.gen(() => steps(given)))
})
