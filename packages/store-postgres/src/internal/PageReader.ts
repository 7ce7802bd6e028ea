/**
 * Reads of pages. Those that arrive together share statements: most of a small read's cost is in its statement.
 *
 * PostgreSQL could choose to sort the table for each page, or to search all of it for a status that few pets have. It
 * cannot here: the constant limit says that few rows are needed, and only `pets_by_status` has the order of the second form.
 */

import * as ListPets from "@petstore/domain/ListPets"
import { fields } from "@petstore/domain/Pet"
import { maxLimit, maxTextBytes, type PetPage, pageOf } from "@petstore/domain/PetPage"
import type { PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
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

/** The bytes of text in a row. PostgreSQL knows the lengths of long values without reading them. */
const textBytes = fields
  .filter(({ isInteger }) => !isInteger)
  .map(({ name }) => `coalesce(octet_length(${Columns.columnsOf([name])}), 0)`)
  .join(" + ")

/** Every filter has an array of its values, one for each page. */
const filterColumns = ListPets.filters.map((name) => Columns.columnsOf([name]))
const filterArrays = fields
  .filter(({ name }) => ListPets.filters.some((filter) => filter === name))
  .map(({ isInteger }, nth) => `$${nth + 3}::${isInteger ? "bigint" : "text"}[]`)

/** Rows of pages, each with the number of its page, from 1. The join is a nested loop, so each page is in order. */
const select = (selected: string, rows: string): string =>
  `SELECT pet.*, nth
    FROM unnest(${["$1::bigint[]", "$2::int[]", ...filterArrays].join(", ")})
      WITH ORDINALITY AS page (${["after", "count", ...filterColumns, "nth"].join(", ")})
    CROSS JOIN LATERAL (SELECT id, ${selected} FROM (${rows}) AS row) AS pet`

/** Which rows follow, in the order of an index that begins with the columns of the filters. */
const following = (filters: ReadonlyArray<ListPets.Filter>): string => {
  if (filters.length === 0) return "id > page.after ORDER BY id"
  const [of, asked] = ["pets", "page"].map((table) => columnsIn(table, Columns.columnsOf(filters)))
  return `(${of}, id) > (${asked}, page.after) AND (${of}) <= (${asked}) ORDER BY ${of}, id`
}

/** The statements for pages with these filters. */
export const statementsFor = (filters: ReadonlyArray<ListPets.Filter>) => {
  const rows = `SELECT * FROM (
      SELECT id, ${Columns.pet} FROM pets WHERE ${following(filters)} LIMIT ${maxLimit + 1}
    ) AS most LIMIT page.count`
  // Up to the second row before each, so the last of these rows is the first that follows the page.
  const before = `sum(${textBytes}) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)`
  const rowsOfPage = `SELECT * FROM (SELECT *, ${before} AS before FROM (${rows}) AS counted) AS summed
    WHERE coalesce(before, 0) < ${maxTextBytes}`
  const text = select(Columns.shortPet, rows)
  return {
    alone: { name: ["petstore_page", ...filters].join("_by_"), text },
    // Without a name it is planned each time. A plan from when the table was small could sort it for each page.
    shared: { text },
    whole: { text: select(Columns.pet, rowsOfPage) }
  }
}
type Statements = ReturnType<typeof statementsFor>

/** Lists with this function. */
export const make = (send: Send): PetStore["Type"]["list"] => {
  /** By the filters that lists have had. */
  const known = new Map<string, Statements>()
  const queue = SharedReads.makeQueue<ListPets.ListPets, PetPage>()
  const read = (
    form: "short" | "whole",
    starts: ReadonlyArray<Start>,
    statements: Statements,
    done: SharedReads.Done = () => {}
  ): void => {
    const ofShort = starts.length > 1 ? statements.shared : statements.alone
    const values = [
      starts.map(([{ what }]) => what.after ?? Int64.min),
      starts.map((reads) => limitOf(reads) + 1),
      ...ListPets.filters.map((name) => starts.map(([{ what }]) => what[name]))
    ]
    send<PetRow>(form === "whole" ? statements.whole : ofShort, values, (exit) => {
      done(exit)
      const rowsOf = starts.map((): Array<PetRow> => [])
      if (Exit.isSuccess(exit)) {
        for (const row of exit.value) rowsOf[Number(row[fields.length + 1]) - 1]?.push(row)
      }
      for (const [nth, reads] of starts.entries()) {
        for (const one of reads) {
          const { limit } = one.what
          const rows = rowsOf[nth]?.slice(0, limit + 1) ?? []
          const page = () => PostgresFailure.attempt(() => pageOf(rows, limit, fromRow))
          const readWhole = (done?: SharedReads.Done) => read("whole", [[one]], statements, done)
          if (form === "whole" || !SharedReads.needsOwnStatement(exit, rows))
            one.settle(Exit.flatMap(exit, page))
          else if (limit === 1) readWhole()
          else queue(one, readWhole)
        }
      }
    })
  }
  return SharedReads.make<ListPets.ListPets, PetPage, StoreUnavailable>(ListPets.keyOf, (reads) => {
    const alike = Arr.groupBy(reads, ({ what }) => ListPets.filtersOf(what).join())
    for (const [filters, reads] of Object.entries(alike)) {
      const statements = known.get(filters) ?? statementsFor(ListPets.filtersOf(reads[0].what))
      known.set(filters, statements)
      for (const part of partsOf(reads)) read("short", part, statements)
    }
  })
}

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
