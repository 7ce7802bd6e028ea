/**
 * The thread that imports. Pets wait beside the file, where they lock nothing and vanish with the
 * thread, until all of them are there; then they go in together.
 */
import { parentPort, workerData } from "node:worker_threads"
import * as Connection from "./Connection.ts"

/** A pet to import: place, id, name, category and status. */
export type Row = readonly [
  place: number,
  id: bigint | null,
  name: string,
  categoryId: bigint,
  status: string | null
]

/** Rows to put aside, or the word to put all of them in. */
export type Order = ReadonlyArray<Row> | "commit" | "close"

/** How an order went. */
export type Report =
  | { readonly added: number }
  | { readonly taken: ReadonlyArray<Taken>; readonly count: number }
  | { readonly failure: Connection.Failure }

interface Taken {
  readonly place: number
  readonly id: bigint
}

const mostTold = 100

/** Opens the file, and gives what carries out each order. */
const open = () => {
  const { database, transaction } = Connection.open(workerData)
  database.pragma("temp_store = FILE")
  const columns =
    "place INTEGER NOT NULL, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT"
  database.exec(`
    CREATE TEMP TABLE with_id (id INTEGER PRIMARY KEY, ${columns}) STRICT;
    CREATE TEMP TABLE without_id (${columns}) STRICT;
  `)
  const values = "(place, name, category_id, status"
  const putWithId = database.prepare(
    `INSERT INTO with_id ${values}, id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
  )
  const putWithoutId = database.prepare(`INSERT INTO without_id ${values}) VALUES (?, ?, ?, ?)`)
  const takenHere = database.prepare<[], Taken>(
    `SELECT place, id FROM with_id JOIN pets USING (id) ORDER BY place LIMIT ${mostTold}`
  )
  const countTakenHere = database
    .prepare("SELECT count(*) FROM with_id JOIN pets USING (id)")
    .pluck()

  const repeated: Array<Taken> = []
  let countRepeated = 0
  let staged = 0

  const stage = database.transaction((rows: ReadonlyArray<Row>) => {
    for (const [place, id, name, categoryId, status] of rows) {
      if (id === null) putWithoutId.run(place, name, categoryId, status)
      else if (putWithId.run(place, name, categoryId, status, id).changes === 0) {
        countRepeated++
        if (repeated.length < mostTold) repeated.push({ place, id })
      }
    }
    staged += rows.length
  })

  const commit = (): Report =>
    transaction(() => {
      const count = Number(countTakenHere.get()) + countRepeated
      if (count > 0) {
        const taken = takenHere.all().map(({ id, place }) => ({ id, place: Number(place) }))
        const inOrder = [...taken, ...repeated].sort((a, b) => a.place - b.place)
        return { taken: inOrder.slice(0, mostTold), count }
      }
      database.exec(`
        INSERT INTO pets (id, name, category_id, status)
          SELECT id, name, category_id, status FROM with_id ORDER BY id;
        INSERT INTO pets (name, category_id, status)
          SELECT name, category_id, status FROM without_id ORDER BY rowid;
      `)
      return { added: staged }
    })

  const obey = (order: ReadonlyArray<Row> | "commit"): Report => {
    if (order === "commit") return commit()
    stage(order)
    return { added: 0 }
  }
  return { database, obey }
}

const opened = Connection.attempt(open)

parentPort?.on("message", (order: Order) => {
  if (order === "close") {
    if ("database" in opened) opened.database.close()
    parentPort?.close()
  } else {
    parentPort?.postMessage(
      "failure" in opened ? opened : Connection.attempt(() => opened.obey(order))
    )
  }
})
