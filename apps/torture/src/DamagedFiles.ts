/** Database files that are damaged, truncated, of others, of a newer version, or locked. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Random } from "./Random.ts"
import * as Sqlite from "./Sqlite.ts"

type Change = (bytes: Buffer, random: Random) => Buffer

/** A way to damage a file of the program. */
export interface Damage {
  readonly name: string
  /**
   * What the program must do: refuse the file and leave it as it is, serve the first pets as they were sent, or all of them. SQLite has
   * no checksums, so other damage may be served: then only its form is checked.
   */
  readonly must: "refuse" | "serve the first" | "serve all" | "answer"
  /** What becomes of the file. Its log is removed, which would replace pages that are changed. */
  readonly file?: Change
  /** What becomes of its log. */
  readonly log?: Change
  /** Statements that another process executes then. */
  readonly statements?: ReadonlyArray<string>
  /** Whether that process is still there while the program runs. */
  readonly isHeld?: boolean
}

const pageSize = 4096

const changed = (name: string, file: Change): Damage => ({ name, must: "answer", file })
const logged = (name: string, log: Change): Damage => ({ name, must: "serve the first", log })
const held = (name: string, must: Damage["must"], ...statements: ReadonlyArray<string>) => ({
  ...{ name, must, statements, isHeld: true }
})
/** A statement of another program, or of a newer version, in the file of the program or in an empty one. */
const executed = (statement: string, file: Pick<Damage, "file"> = {}): Damage => ({
  ...{ name: `after ${statement}`, must: "refuse", statements: [statement], ...file }
})
const empty = { file: () => Buffer.alloc(0) }

/** One of each kind. */
export const damages: ReadonlyArray<Damage> = [
  // The program waits for this lock, while it is started on the next files.
  held(
    "another process has locked it",
    "refuse",
    ...["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "SELECT 1 FROM pets"]
  ),
  held("another process is writing to it", "serve all", "BEGIN IMMEDIATE"),
  changed("bytes are changed", (bytes, { below }) => {
    for (let many = 1 + below(50); many > 0; many--) bytes[below(bytes.length)] = below(256)
    return bytes
  }),
  changed("a byte of the header is changed", (bytes, { below }) => {
    bytes[below(100)] = below(256)
    return bytes
  }),
  changed("a page is overwritten", (bytes, { below, bytes: noise, pick }) => {
    const page = pick([noise(pageSize), Buffer.alloc(pageSize)])
    page.copy(bytes, below(bytes.length / pageSize) * pageSize)
    return bytes
  }),
  changed("it is truncated", (bytes, { below }) => bytes.subarray(0, 1 + below(bytes.length - 1))),
  logged("a byte of its log is changed", (bytes, { below }) => {
    const at = below(bytes.length)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    return bytes
  }),
  logged("its log is truncated", (bytes, { below }) => bytes.subarray(0, below(bytes.length))),
  {
    name: "it is not a database",
    must: "refuse",
    file: (_, { below, bytes, pick }) => pick([bytes(1 + below(20_000)), Buffer.from("name;x\n")])
  },
  executed("CREATE TABLE notes (text)", empty),
  executed("CREATE TRIGGER theirs AFTER INSERT ON pets BEGIN DELETE FROM pets; END"),
  executed("DROP INDEX pets_by_status"),
  executed("INSERT INTO petstore_migrations (migration_id, name) VALUES (150, 'new')")
]

/** Damages a file, with its write-ahead log. What it holds is released with the scope. */
export const apply = (
  { file, isHeld = false, log, statements = [] }: Damage,
  path: string,
  random: Random
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const wal = `${path}-wal`
    if (file !== undefined) {
      rmSync(wal)
      writeFileSync(path, file(readFileSync(path), random))
    }
    if (log !== undefined) writeFileSync(wal, log(readFileSync(wal), random))
    if (statements.length === 0) return Effect.void
    const execution = Sqlite.execute(path, ...statements)
    return isHeld ? execution : Effect.scoped(execution)
  })
