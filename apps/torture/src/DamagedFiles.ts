/** Database files that are damaged, truncated, of others, of a newer version, or locked. */
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Random from "./Random.ts"
import * as Sqlite from "./Sqlite.ts"

/** A way to damage a file. */
export interface Damage {
  readonly name: string
  /**
   * What the program must do: refuse the file and leave it as it is, serve the first pets as they were sent, or all of them. SQLite has
   * no checksums, so other damage may be served: then only its form is checked.
   */
  readonly must: "refuse" | "serve the first" | "serve all" | "answer"
  /** Damages a file of the program, with its write-ahead log. What it holds is released with the scope. */
  readonly apply: (file: string) => Effect.Effect<void, never, Scope.Scope>
}

const pageSize = 4096

const exclusively = ["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "SELECT 1 FROM pets"]

/** The kinds of damage, each with random numbers of its own. */
const kinds: ReadonlyArray<(random: Random.Random) => Damage> = [
  // The program waits for this lock, while it is started on the next files.
  () => held("another process has locked it", "refuse", ...exclusively),
  ({ below }) =>
    changed("bytes are changed", (bytes) => {
      for (let many = 1 + below(50); many > 0; many--) bytes[below(bytes.length)] = below(256)
    }),
  ({ below }) =>
    changed("a byte of the header is changed", (bytes) => bytes.writeUInt8(below(256), below(100))),
  (random) =>
    changed("a page is overwritten", (bytes) =>
      random
        .pick([random.bytes(pageSize), Buffer.alloc(pageSize)])
        .copy(bytes, pageOf(bytes, random))
    ),
  (random) =>
    changed("two pages are exchanged", (bytes) => {
      const [one, other] = [pageOf(bytes, random), pageOf(bytes, random)]
      const page = Buffer.from(bytes.subarray(one, one + pageSize))
      bytes.copy(bytes, one, other, other + pageSize)
      page.copy(bytes, other)
    }),
  ({ below }) =>
    of("it is truncated", "answer", (file) => {
      rmSync(`${file}-wal`)
      truncateSync(file, 1 + below(statSync(file).size - 1))
    }),
  ({ below }) =>
    of("a byte of its log is changed", "serve the first", (file) =>
      rewrite(`${file}-wal`, (bytes) => {
        const at = below(bytes.length)
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      })
    ),
  ({ below }) =>
    of("its log is truncated", "serve the first", (file) =>
      truncateSync(`${file}-wal`, below(statSync(`${file}-wal`).size))
    ),
  () => of("its log is missing", "serve the first", (file) => rmSync(`${file}-wal`)),
  ({ below, bytes, pick }) =>
    foreign("it is not a database", (file) =>
      writeFileSync(file, pick([bytes(1 + below(20_000)), Buffer.from("name;status\n")]))
    ),
  () => foreign("it is a folder", (file) => mkdirSync(file)),
  ({ pick }) =>
    foreign(
      "it is the database of another program",
      () => {},
      pick([
        "CREATE TABLE notes (text)",
        "CREATE TABLE pets (text)",
        "CREATE VIEW pets AS SELECT 1"
      ])
    ),
  ({ pick }) =>
    executed(
      pick([
        "CREATE TRIGGER theirs AFTER INSERT ON pets BEGIN DELETE FROM pets; END",
        "CREATE VIEW theirs AS SELECT * FROM pets",
        "DROP INDEX pets_by_status",
        "ALTER TABLE pets ADD COLUMN theirs TEXT"
      ])
    ),
  ({ below }) =>
    executed(
      `INSERT INTO petstore_migrations (migration_id, name) VALUES (${100 + below(100)}, 'new')`
    ),
  () => held("another process is writing to it", "serve all", "BEGIN IMMEDIATE")
]

/** This many damages, spread evenly over the kinds. */
export const make = (many: number, random: Random.Random): ReadonlyArray<Damage> =>
  Array.from({ length: Math.max(many, kinds.length) }, (_, nth) =>
    kinds[nth % kinds.length]?.(Random.make(random.below(2 ** 31), `damage ${nth}`))
  ).filter((damage) => damage !== undefined)

const of = (name: string, must: Damage["must"], apply: (file: string) => void): Damage => ({
  name,
  must,
  apply: (file) => Effect.sync(() => apply(file))
})

/** Another process has executed these statements, and is still there. */
const held = (
  name: string,
  must: Damage["must"],
  ...statements: ReadonlyArray<string>
): Damage => ({ name, must, apply: (file) => Sqlite.execute(file, ...statements) })

const rewrite = (file: string, change: (bytes: Buffer) => void) => {
  const bytes = readFileSync(file)
  change(bytes)
  writeFileSync(file, bytes)
}

/** The log would replace pages that are changed. */
const changed = (name: string, change: (bytes: Buffer) => void): Damage =>
  of(name, "answer", (file) => {
    rmSync(`${file}-wal`)
    rewrite(file, change)
  })

/** A change that another program, or a newer version, makes. */
const executed = (statement: string): Damage => ({
  name: `after ${statement}`,
  must: "refuse",
  apply: (file) => Effect.scoped(Sqlite.execute(file, statement))
})

/** Another file in its place, to which a statement may be applied. */
const foreign = (name: string, write: (file: string) => void, statement?: string): Damage => ({
  name,
  must: "refuse",
  apply: (file) =>
    Effect.suspend(() => {
      rmSync(`${file}-wal`)
      rmSync(file)
      write(file)
      return statement === undefined ? Effect.void : Effect.scoped(Sqlite.execute(file, statement))
    })
})

/** Where a page of these bytes begins. */
const pageOf = (bytes: Buffer, { below }: Random.Random) =>
  below(bytes.length / pageSize) * pageSize
