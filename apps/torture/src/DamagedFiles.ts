/** Database files that are damaged, truncated, of others, of a newer version, or locked. */
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Random } from "./Random.ts"
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

/** The kinds of damage; each call makes another one. */
const kinds: ReadonlyArray<(random: Random) => Damage> = [
  // The program waits for this lock, while it is started on the next files.
  () => ({
    name: "another process has locked it",
    must: "refuse",
    apply: (file) =>
      Sqlite.execute(
        file,
        "PRAGMA locking_mode = EXCLUSIVE",
        "BEGIN EXCLUSIVE",
        "SELECT 1 FROM pets"
      )
  }),
  (random) => {
    const places = Array.from({ length: 1 + random.below(50) }, random.next)
    const values = random.bytes(places.length)
    return changed("bytes are changed", (bytes) =>
      places.forEach((place, nth) => {
        bytes[Math.floor(place * bytes.length)] = values[nth] ?? 0
      })
    )
  },
  (random) => {
    const [place, value] = [random.below(100), random.below(256)]
    return changed("a byte of the header is changed", (bytes) => bytes.writeUInt8(value, place))
  },
  (random) => {
    const [place, page] = [
      random.next(),
      random.pick([random.bytes(pageSize), Buffer.alloc(pageSize)])
    ]
    return changed("a page is overwritten", (bytes) => page.copy(bytes, pageAt(bytes, place)))
  },
  (random) => {
    const places = [random.next(), random.next()] as const
    return changed("two pages are exchanged", (bytes) => {
      const [one, other] = [pageAt(bytes, places[0]), pageAt(bytes, places[1])]
      const page = Buffer.from(bytes.subarray(one, one + pageSize))
      bytes.copy(bytes, one, other, other + pageSize)
      page.copy(bytes, other)
    })
  },
  (random) => {
    const part = random.next()
    return of("it is truncated", "answer", (file) => {
      rmSync(`${file}-wal`)
      truncateSync(file, 1 + Math.floor(part * (statSync(file).size - 1)))
    })
  },
  (random) => {
    const place = random.next()
    return of("a byte of its log is changed", "serve the first", (file) =>
      rewrite(`${file}-wal`, (bytes) => {
        const at = Math.floor(place * bytes.length)
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      })
    )
  },
  (random) => {
    const part = random.next()
    return of("its log is truncated", "serve the first", (file) =>
      truncateSync(`${file}-wal`, Math.floor(part * statSync(`${file}-wal`).size))
    )
  },
  () => of("its log is missing", "serve the first", (file) => rmSync(`${file}-wal`)),
  (random) => {
    const bytes = random.pick([
      random.bytes(1 + random.below(20_000)),
      Buffer.from("name;status\n")
    ])
    return foreign("it is not a database", (file) => writeFileSync(file, bytes))
  },
  () => foreign("it is a folder", (file) => mkdirSync(file)),
  (random) =>
    foreign(
      "it is the database of another program",
      () => {},
      random.pick([
        "CREATE TABLE notes (text)",
        "CREATE TABLE pets (text)",
        "CREATE VIEW pets AS SELECT 1"
      ])
    ),
  (random) =>
    executed(
      random.pick([
        "CREATE TRIGGER theirs AFTER INSERT ON pets BEGIN DELETE FROM pets; END",
        "CREATE VIEW theirs AS SELECT * FROM pets",
        "DROP INDEX pets_by_status",
        "ALTER TABLE pets ADD COLUMN theirs TEXT"
      ])
    ),
  (random) =>
    executed(
      `INSERT INTO petstore_migrations (migration_id, name) VALUES (${100 + random.below(100)}, 'new')`
    ),
  () => ({
    name: "another process is writing to it",
    must: "serve all",
    apply: (file) => Sqlite.execute(file, "BEGIN IMMEDIATE")
  })
]

/** This many damages, spread evenly over the kinds. */
export const make = (many: number, random: Random): ReadonlyArray<Damage> =>
  Array.from({ length: Math.max(many, kinds.length) }, (_, nth) =>
    kinds[nth % kinds.length]?.(random)
  ).filter((damage) => damage !== undefined)

const of = (name: string, must: Damage["must"], apply: (file: string) => void): Damage => ({
  name,
  must,
  apply: (file) => Effect.sync(() => apply(file))
})

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

/** Another file in its place, to which statements are applied. */
const foreign = (
  name: string,
  write: (file: string) => void,
  ...statements: ReadonlyArray<string>
): Damage => ({
  name,
  must: "refuse",
  apply: (file) =>
    Effect.suspend(() => {
      rmSync(`${file}-wal`)
      rmSync(file)
      write(file)
      return statements.length > 0
        ? Effect.scoped(Sqlite.execute(file, ...statements))
        : Effect.void
    })
})

const pageAt = (bytes: Buffer, place: number) =>
  Math.floor((place * bytes.length) / pageSize) * pageSize
