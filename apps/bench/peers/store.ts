/** Pets in SQLite through better-sqlite3: prepared once, one transaction for each request. */
import Database from "better-sqlite3"
import {
  databaseAddress,
  type NewPet,
  type Page,
  type Pet,
  type PetRow,
  type PetStatus,
  sql,
  toPage,
  toPet
} from "./common.ts"

const database = new Database(databaseAddress)
for (const statement of [...sql.pragmas, ...sql.schema]) database.prepare(statement).run()
// The driver is built to fall back to NORMAL under WAL, so what it kept is read back.
if (database.pragma("synchronous", { simple: true }) !== 2) throw new Error("not synchronous")

const getOne = database.prepare<[number], PetRow>(sql.get)
const listAll = database.prepare<[number, number], PetRow>(sql.list)
const listSome = database.prepare<[PetStatus, number, number], PetRow>(sql.listByStatus)
const insert = database.prepare<[string, number, PetStatus | null]>(sql.add)

export const list = (limit: number, status: PetStatus | undefined, after: number): Page =>
  toPage(
    status === undefined ? listAll.all(after, limit + 1) : listSome.all(status, after, limit + 1),
    limit
  )

export const get = (id: number): Pet | undefined => {
  const row = getOne.get(id)
  return row && toPet(row)
}

export const add = ({ name, categoryId, status }: NewPet): Pet => {
  const { lastInsertRowid } = insert.run(name, categoryId, status ?? null)
  const pet = { id: Number(lastInsertRowid), name, categoryId }
  return status === undefined ? pet : { ...pet, status }
}

export const close = (): void => {
  database.close()
}
