/**
 * The import thread. Pets are staged in temporary tables, which need no lock and are dropped with the
 * connection, until all have arrived; then one transaction copies them to `pets`.
 */
import type { Values } from "@petstore/store-sql/PetRow"
import * as LastId from "./LastId.ts"
import * as ThreadSide from "./ThreadSide.ts"

/** A pet to import: its place, its id if it has one, and its other columns. */
export type Row = readonly [place: number, id: bigint | null, ...Values]

/** Rows to stage, or the order to commit all staged rows. */
export type Order = ReadonlyArray<Row> | "commit"

/** The outcome of an order. */
export type Outcome =
  | { readonly added: number }
  | { readonly taken: ReadonlyArray<Taken>; readonly count: number }

interface Taken {
  readonly place: number
  readonly id: bigint
}

ThreadSide.serve(({ database, transaction }, { pet }) => {
  database.exec("PRAGMA temp_store = FILE")
  // The columns have no types here: those of `pets` apply when the rows are copied there.
  database.exec(`
    CREATE TEMP TABLE with_id (place INTEGER, id INTEGER PRIMARY KEY, ${pet});
    CREATE TEMP TABLE without_id (${pet});
    CREATE TEMP TABLE taken (place INTEGER, id INTEGER);
  `)
  const insert = (table: string, columns: string) =>
    database.prepare(
      `INSERT INTO ${table} (${columns}) VALUES (${ThreadSide.placeholders(columns)}) ON CONFLICT DO NOTHING`
    )
  const addWithId = insert("with_id", `place, id, ${pet}`)
  const addWithoutId = insert("without_id", pet)
  const addTaken = insert("taken", "place, id")
  const firstTaken = database.prepare<[place: bigint, id: bigint], []>(
    "SELECT place, id FROM taken ORDER BY place LIMIT 100"
  )

  let staged = 0
  let withoutId = 0
  const stage = (rows: ReadonlyArray<Row>): Outcome => {
    for (const [place, id, ...values] of rows) {
      if (id === null) withoutId += addWithoutId.run(...values).changes
      else if (addWithId.run(place, id, ...values).changes === 0) addTaken.run(place, id)
    }
    staged += rows.length
    return { added: 0 }
  }

  const commit = (): Outcome => {
    database.exec("INSERT INTO taken SELECT place, id FROM with_id JOIN pets USING (id)")
    const count = Number(database.value("SELECT count(*) FROM taken"))
    if (count > 0) {
      const taken = firstTaken.all().map(([place, id]) => ({ id, place: Number(place) }))
      return { taken, count }
    }
    database.exec(`INSERT INTO pets (id, ${pet}) SELECT id, ${pet} FROM with_id ORDER BY id`)
    LastId.expectLeft(database, BigInt(withoutId))
    database.exec(`INSERT INTO pets (${pet}) SELECT ${pet} FROM without_id ORDER BY rowid`)
    return { added: staged }
  }

  return (order: Order) =>
    order === "commit" ? transaction(commit) : database.transaction(() => stage(order))
})
