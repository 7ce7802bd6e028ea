/**
 * Reads of pages. Those that arrive together share statements: most of a small read's cost is in its statement.
 *
 * PostgreSQL could choose to sort the table for each page, or to search all of it for a status that few pets have. It
 * cannot here: the constant limit says that few rows are needed, and only `pets_by_status` has the order of the second form.
 */

import * as ListPets from "@petstore/domain/ListPets"
import { type Field, fields } from "@petstore/domain/Pet"
import { maxLimit, type PetPage, pageOf } from "@petstore/domain/PetPage"
import type { PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Turn from "@petstore/kernel/Turn"
import * as Columns from "@petstore/store-sql/Columns"
import { fromRow, type PetRow } from "@petstore/store-sql/PetRow"
import * as Arr from "effect/Array"
import * as Exit from "effect/Exit"
import type { Send } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as SharedReads from "./SharedReads.ts"
import { columnsIn } from "./Statement.ts"

type PageRead = SharedReads.Read<ListPets.ListPets, PetPage, StoreUnavailable>
/** Pages that differ in their limit only: the largest contains the others. */
type Start = Arr.NonEmptyReadonlyArray<PageRead>

/** Every filter has an array of its values, one for each page. */
const filterColumns = ListPets.filters.map((name) => Columns.columnsOf([name]))
const filterArrays = fields
  .filter(({ name }) => ListPets.filters.some((filter) => filter === name))
  .map(({ isInteger }, nth) => `$${nth + 3}::${isInteger ? "bigint" : "text"}[]`)

/**
 * Selects from pages, in their order: the join is a nested loop. The condition holds for all of them, and lets PostgreSQL
 * expect a single page: otherwise it would make a plan for each number of pages.
 */
const select = (selected: string, rows: string): string =>
  `SELECT ${selected}
    FROM unnest(${["$1::bigint[]", "$2::int[]", ...filterArrays].join(", ")})
      AS page (${["after", "count", ...filterColumns].join(", ")})
    CROSS JOIN LATERAL (${rows}) AS pet
    WHERE page.count BETWEEN 1 AND ${maxLimit + 1}`

/** Which rows follow, in the order of an index that begins with the columns of the filters. */
const following = (filters: ReadonlyArray<ListPets.Filter>): string => {
  if (filters.length === 0) return "id > page.after ORDER BY id"
  const [of, asked] = ["pets", "page"].map((table) => columnsIn(table, Columns.columnsOf(filters)))
  return `(${of}, id) > (${asked}, page.after) AND (${of}) <= (${asked}) ORDER BY ${of}, id`
}

/** Between the values of a column. */
const separator = "\u0001"

/** A value as text. An empty text is not valid: it becomes a separator, so that its column has too many values. */
const textOf = ({ isInteger, name }: Field): string => {
  const column = Columns.columnsOf([name])
  return isInteger
    ? `${column}::text`
    : `CASE ${column} WHEN '' THEN '${separator}' ELSE ${column} END`
}

/** Each column of a page as one text, which takes the driver a fraction of the time of rows. What is left out is empty. */
const columnTexts = ["id::text", ...fields.map(textOf)]
  .map((text) => `string_agg(coalesce(${text}, ''), '${separator}')`)
  .join(", ")

/** The texts of the columns, null if the page is empty, and the size of the table. */
type ColumnTexts = readonly [tableBytes: bigint, ...texts: ReadonlyArray<string | null>]

/** The rows of a page. None if a text has a separator, so that the page has to be read as rows. */
const rowsIn = ([, ...texts]: ColumnTexts): ReadonlyArray<PetRow> | undefined => {
  const [ids = [], ...columns] = texts.map((text) => text?.split(separator) ?? [])
  if (columns.some(({ length }) => length !== ids.length)) return undefined
  return ids.map((id, nth) => {
    const row: [bigint, ...Array<string | bigint | null>] = [BigInt(id)]
    let at = 0
    for (const { isInteger } of fields) {
      const text = columns[at++]?.[nth] ?? ""
      row.push(text === "" ? null : isInteger ? BigInt(text) : text)
    }
    return row
  })
}

/** The statements for pages with these filters. */
export const statementsFor = (filters: ReadonlyArray<ListPets.Filter>) => {
  const rows = `SELECT * FROM (
      SELECT id, ${Columns.pet} FROM pets WHERE ${following(filters)} LIMIT ${maxLimit + 1}
    ) AS most LIMIT page.count`
  const tableBytes = "(SELECT pg_relation_size('pets'))"
  const asTexts = select(`${tableBytes}, pet.*`, `SELECT ${columnTexts} FROM (${rows}) AS row`)
  return {
    /** A plan for a small table may sort it for each page, so there is a new one once the table is four times as large. */
    asTexts: (bytes: bigint) => ({
      name: ["petstore_page", ...filters, bytes.toString(4).length].join("_"),
      text: asTexts
    }),
    asRows: { text: select("pet.*", rows) }
  }
}
type Statements = ReturnType<typeof statementsFor>

/** Lists with this function. */
export const make = (send: Send): PetStore["Type"]["list"] => {
  /** By the filters that lists have had. */
  const known = new Map<string, Statements>()
  let tableBytes = 0n
  /** Many pages may come of one statement: those who read pets meanwhile do not wait for all of them. */
  const run = Turn.makeRunner()

  const readTexts = (starts: ReadonlyArray<Start>, statements: Statements): void =>
    send<ColumnTexts>(statements.asTexts(tableBytes), valuesOf(starts), (exit) => {
      const pages = Exit.isSuccess(exit) ? exit.value : []
      tableBytes = pages[0]?.[0] ?? tableBytes
      for (const [nth, reads] of starts.entries()) {
        const page = pages[nth]
        const rows = page && rowsIn(page)
        for (const one of reads) {
          if (rows !== undefined) run(() => one.settle(pageFrom(rows, one.what)))
          else if (Exit.isFailure(exit) && !SharedReads.isDamaged(exit))
            one.settle(Exit.failCause(exit.cause))
          else readRows(one, statements)
        }
      }
    })

  const readRows = (one: PageRead, { asRows }: Statements): void =>
    send<PetRow>(asRows, valuesOf([[one]]), (exit) =>
      one.settle(Exit.flatMap(exit, (rows) => pageFrom(rows, one.what)))
    )

  return SharedReads.make<ListPets.ListPets, PetPage, StoreUnavailable>(ListPets.keyOf, (reads) => {
    const alike = Arr.groupBy(reads, ({ what }) => ListPets.filtersOf(what).join())
    for (const [filters, reads] of Object.entries(alike)) {
      const statements = known.get(filters) ?? statementsFor(ListPets.filtersOf(reads[0].what))
      known.set(filters, statements)
      for (const part of partsOf(reads)) readTexts(part, statements)
    }
  })
}

/** The values of the parameters. */
const valuesOf = (starts: ReadonlyArray<Start>): ReadonlyArray<ReadonlyArray<unknown>> => [
  starts.map(([{ what }]) => what.after ?? Int64.min),
  starts.map((reads) => limitOf(reads) + 1),
  ...ListPets.filters.map((name) => starts.map(([{ what }]) => what[name]))
]

/** The page in these rows, which may be more than it needs. */
const pageFrom = (rows: ReadonlyArray<PetRow>, { limit }: ListPets.ListPets) =>
  PostgresFailure.attempt(() => pageOf(rows, limit, fromRow))

/** The rows that pages from the same start need. */
const limitOf = (reads: Start): number => Math.max(...reads.map(({ what }) => what.limit))

/** Parts for a statement each, which run at the same time. */
const partsOf = (reads: ReadonlyArray<PageRead>): ReadonlyArray<ReadonlyArray<Start>> => {
  const parts: Array<Array<Start>> = []
  let rows = SharedReads.maxRows
  for (const start of Object.values(Arr.groupBy(reads, startOf))) {
    rows += limitOf(start)
    if (rows > SharedReads.maxRows) {
      parts.push([])
      rows = limitOf(start)
    }
    parts.at(-1)?.push(start)
  }
  return parts
}

const startOf = ({ what }: PageRead): string => `${what.after} ${ListPets.textOf(what)}`
