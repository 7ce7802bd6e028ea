/**
 * Reads of pages. Those that arrive together share statements: most of a small read's cost is in its statement.
 *
 * PostgreSQL could choose to sort the table for each page, or to search all of it for a status that few pets have. It
 * cannot here: the constant limit says that few rows are needed, and only `pets_by_status` has the order of the second form.
 */
import * as Direct from "@petstore/direct/Direct"
import * as Int64 from "@petstore/domain/Int64"
import { columns, fields, type Row } from "@petstore/domain/Pet"
import { type ListPets, maxLimit, type PetPage, pageOf } from "@petstore/domain/PetPage"
import type { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Arr from "effect/Array"
import * as Exit from "effect/Exit"
import type { Send } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as SharedReads from "./SharedReads.ts"

type PageRead = SharedReads.Read<ListPets, PetPage, StoreUnavailable>
/** Pages that differ in their limit only: the largest contains the others. */
type Start = Arr.NonEmptyReadonlyArray<PageRead>

/** What shared statements return at most, so that none takes long over a slow network. */
const maxRows = 1000
const maxBytesOfText = 1000

/** The columns of a pet, empty texts for those that are too long to be shared. */
const sharedColumns = Arr.zipWith(columns.split(", "), fields, (column, { isInteger }) =>
  isInteger
    ? column
    : `CASE WHEN octet_length(${column}) > ${maxBytesOfText} THEN '' ELSE ${column} END AS ${column}`
).join(", ")

const anyStatus = "id > page.after ORDER BY id"
const oneStatus = `(pets.status, id) > (page.status, page.after) AND pets.status <= page.status
  ORDER BY pets.status, id`

/** Rows of pages, each with the number of its page, from 1. The join is a nested loop, so each page is in order. */
const select = (selected: string, condition: string): string =>
  `SELECT pet.*, nth
    FROM unnest($1::bigint[], $2::int[], $3::text[]) WITH ORDINALITY AS page (after, count, status, nth)
    CROSS JOIN LATERAL (
      SELECT * FROM (SELECT id, ${selected} FROM pets WHERE ${condition} LIMIT ${maxLimit + 1}) AS most
      LIMIT page.count
    ) AS pet`

const statementsFor = (name: string, condition: string) => ({
  alone: { name: `petstore_${name}`, text: select(columns, condition) },
  // Without a name it is planned each time. A plan from when the table was small could sort it for each page.
  shared: { text: select(sharedColumns, condition) }
})
/** The statements for pages of all pets. */
export const all = statementsFor("page", anyStatus)
/** The statements for pages of one status each. */
export const some = statementsFor("page_by_status", oneStatus)

/** Lists with this function. */
export const make = (send: Send): PetStore["Type"]["list"] => {
  const read = (starts: ReadonlyArray<Start>, statements: typeof all): void => {
    const isShared = starts.flat().length > 1
    const values = [
      starts.map(([{ what }]) => what.after ?? Int64.min),
      starts.map((reads) => limitOf(reads) + 1),
      starts.map(([{ what }]) => what.status)
    ]
    send<Row>(isShared ? statements.shared : statements.alone, values, (exit) => {
      const rowsOf = starts.map((): Array<Row> => [])
      if (Exit.isSuccess(exit)) {
        for (const row of exit.value) rowsOf[Number(row[fields.length + 1]) - 1]?.push(row)
      }
      const isDamaged = Direct.isFailureWith(exit, ({ reason }) => reason === "damaged")
      for (const [nth, reads] of starts.entries()) {
        for (const one of reads) {
          const { limit } = one.what
          const rows = rowsOf[nth]?.slice(0, limit + 1) ?? []
          // Too long to be shared, or damaged, which must not fail the pages of others.
          if (isShared && (isDamaged || rows.some((row) => row.includes("")))) {
            read([[one]], statements)
          } else {
            one.settle(Exit.flatMap(exit, () => PostgresFailure.attempt(() => pageOf(rows, limit))))
          }
        }
      }
    })
  }
  return SharedReads.make<ListPets, PetPage, StoreUnavailable>(
    ({ after, limit, status }) => `${after} ${limit} ${status}`,
    (reads) => {
      const [any, one] = Arr.partition(reads, ({ what }) => what.status !== undefined)
      for (const part of partsOf(any)) read(part, all)
      for (const part of partsOf(one)) read(part, some)
    }
  )
}

/** The rows that pages from the same start need. */
const limitOf = (reads: Start): number => Math.max(...reads.map(({ what }) => what.limit))

/** Parts for a statement each, which run at the same time. */
const partsOf = (reads: ReadonlyArray<PageRead>): ReadonlyArray<ReadonlyArray<Start>> => {
  const parts: Array<Array<Start>> = []
  let rows = maxRows
  for (const start of Object.values(Arr.groupBy(reads, startOf))) {
    rows += limitOf(start)
    if (rows > maxRows) {
      parts.push([])
      rows = limitOf(start)
    }
    parts.at(-1)?.push(start)
  }
  return parts
}

const startOf = ({ what: { after, status } }: PageRead): string => `${after} ${status}`
