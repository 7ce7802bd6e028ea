/** The same animals for everybody, in a database of each one's own. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { start } from "./Process.ts"
import { home, type Server } from "./Servers.ts"

/** Beside the app rather than in a temporary folder, which may be memory and sync for nothing. */
export const folder = join(home, "data")

/** Gives a place for databases that is empty, and takes it away afterwards. */
export const withFolder = async <A>(use: () => Promise<A>): Promise<A> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    return await use()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A database with this many animals in a schema that the server itself created. */
export const seed = async (server: Server, name: string, animals: number): Promise<string> => {
  const database = join(folder, `${name}.db`)
  // Stopped while it is filled: a server need not expect others to write into its file.
  const running = await start(server, database)
  await running.stop()
  fill(database, animals)
  return database
}

/** The peers share a schema, so the first one's database serves the others as a copy. */
export const seedAlike = async (
  servers: ReadonlyArray<Server>,
  animals: number
): Promise<ReadonlyMap<string, string>> => {
  const databases = new Map<string, string>()
  const [first, ...others] = servers
  if (first === undefined) return databases
  const original = await seed(first, first.name, animals)
  databases.set(first.name, original)
  for (const { name } of others) {
    const copy = join(folder, `${name}.db`)
    copyFileSync(original, copy)
    databases.set(name, copy)
  }
  return databases
}

/** For SQLite and PostgreSQL. Half of the animals are available, a tenth have no status. */
export const insert = (animals: number): string => `
  WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${animals})
  INSERT INTO pets (id, name, category_id, status)
  SELECT i, 'Animal ' || i, 1 + i % 50, CASE
    WHEN i % 10 < 5 THEN 'available' WHEN i % 10 < 7 THEN 'pending' WHEN i % 10 < 9 THEN 'sold'
  END FROM numbers`

const fill = (file: string, animals: number): void => {
  if (!existsSync(file)) throw new Error("the service made no database where it was told to")
  const database = new Database(file)
  try {
    database.exec(insert(animals))
    database.pragma("wal_checkpoint(TRUNCATE)")
  } finally {
    database.close()
  }
}
