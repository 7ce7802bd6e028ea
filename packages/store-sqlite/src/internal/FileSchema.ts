/** Compares the schema of a file with the one that migrations make: a trigger of others could change pets and keys. */
import * as Driver from "./Driver.ts"

/** A table, index, trigger or view. */
type Entry = ReturnType<typeof read>[number]

/** Reads the schema. Nothing that is in it is executed, not even a view or a generated column. */
export const read = (database: Driver.Database) =>
  database
    .prepare<[type: string, name: string, table: string, sql: string | null], []>(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    )
    .all()
    .map(([type, name, table, sql]) => ({
      label: `${type} ${name}`,
      name,
      /** The table that it is, or belongs to. */
      table,
      /** Whether it is an ordinary table that refers to no other, or an index: it cannot change other tables. */
      isPassive:
        type === "index" ||
        (/^CREATE TABLE /i.test(sql ?? "") && !/\breferences\b/i.test(sql ?? "")),
      // All that SQLite knows of it. The text of a statement is kept as it was written. Other white space is part of names.
      text: JSON.stringify([type, name, table, sql?.replaceAll(/[ \t\n\f\r]+/g, " ")])
    }))

/** The schema that these statements make. */
export const of = (statements: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const memory = Driver.open(":memory:")
  try {
    for (const statement of statements) memory.exec(statement)
    return read(memory)
  } finally {
    memory.close()
  }
}

/** How a schema differs from the expected one. */
export const differences = (
  found: ReadonlyArray<Entry>,
  made: ReadonlyArray<Entry>
): ReadonlyArray<string> => {
  const isIn = (entries: ReadonlyArray<Entry>) => {
    const texts = new Set(entries.map(({ text }) => text))
    // A second entry of the same text is one too many.
    return ({ text }: Entry) => texts.delete(text)
  }
  const isMade = isIn(made)
  const isFound = isIn(found)
  // ANALYZE adds tables, and other programs may keep theirs in the file, such as those that replicate it.
  const own = new Set(made.map(({ table }) => table))
  const isHarmless = ({ isPassive, table }: Entry) => isPassive && !own.has(table)
  const foreign = found.filter((entry) => !isMade(entry) && !isHarmless(entry))
  const labels = new Set(foreign.map(({ label }) => label))
  const missing = made.filter((entry) => !isFound(entry) && !labels.has(entry.label))
  return [
    ...foreign.map(({ label }) => `petstore did not make its ${label}`),
    ...missing.map(({ label }) => `its ${label} is missing`)
  ].slice(0, 10)
}
