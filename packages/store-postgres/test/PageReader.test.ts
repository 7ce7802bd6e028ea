import { describe, expect, it } from "@effect/vitest"
import * as ListPets from "@petstore/domain/ListPets"
import { PetId } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { pet as columns } from "@petstore/store-sql/Columns"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import type pg from "pg"
import type * as ConnectionPool from "../src/internal/ConnectionPool.ts"
import * as PageReader from "../src/internal/PageReader.ts"
import * as PostgresPetStore from "../src/internal/PostgresPetStore.ts"
import * as SharedReads from "../src/internal/SharedReads.ts"
import {
  connect,
  database,
  limit,
  live,
  openPool,
  openStore,
  patient
} from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

const run = (other: pg.Client, sql: string) => Effect.promise(() => other.query(sql))

/** Adds pets with the ids between these. Every tenth has no status, one in 5,003 is pending, and none is sold. */
const fill = (other: pg.Client, from: number, to: number, name = "'Rex ' || id") =>
  run(
    other,
    `INSERT INTO pets (id, name, category_id, status)
    SELECT id, ${name}, 1, CASE WHEN id % 10 <> 0 THEN CASE WHEN id % 5003 = 7 THEN 'pending' ELSE 'available' END END
    FROM generate_series(${from}, ${to}) AS id`
  )

/** A database with the tables of the store, and lists that are read with a pool: how many rows statements gave. */
const setUp = Effect.gen(function* () {
  const url = yield* database
  yield* Effect.scoped(openStore({ url }))
  const pool = yield* openPool(patient(url))
  const statements: Array<{
    readonly rows: number
    readonly name: string | undefined
  }> = []
  const send: ConnectionPool.Send = <R extends ReadonlyArray<unknown>>(
    ...[statement, values, callback]: Parameters<typeof pool.send<R>>
  ) => {
    pool.send<R>(statement, values, (exit) => {
      const results = Exit.isSuccess(exit) ? exit.value : []
      // The ids of a page are one text, after the size of the table.
      const rows = results.flatMap(([, ids]) => String(ids ?? "").split("\u0001"))
      const name = typeof statement === "string" ? undefined : statement.name
      statements.push({ rows: rows.length, name })
      callback(exit)
    })
  }
  const { get, list } = PostgresPetStore.make({ ...pool, send }, () => Effect.die("adds nothing"))
  const listAll = (queries: ReadonlyArray<ListPets.ListPets>) =>
    Effect.all(queries.map(list), { concurrency: "unbounded" })
  return { get, list, listAll, other: yield* connect(url), pool, statements }
})
/** Lets the row of pet 15 fail as PostgreSQL reports a damaged block. */
const damage = (other: pg.Client) =>
  run(
    other,
    `CREATE FUNCTION damaged() RETURNS text STABLE LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001'; END $$;
    ALTER TABLE pets RENAME TO undamaged;
    CREATE VIEW pets AS SELECT id, ${columns.replace("name", "CASE WHEN id = 15 THEN damaged() ELSE name END AS name")}
      FROM undamaged`
  )

const after = (id: number) => PetId.make(BigInt(id))
const idsOf = (pages: ReadonlyArray<{ readonly pets: ReadonlyArray<{ readonly id: bigint }> }>) =>
  pages.map(({ pets }) => pets.map(({ id }) => Number(id)))

describe("pages that are read together", () => {
  live("are each in order, and share statements of up to 1,000 rows", function* () {
    const { listAll, other, statements } = yield* setUp
    yield* fill(other, 1, 500)
    const starts = Array.from({ length: 50 }, (_, nth) => ((nth * 7) % 50) * 9)
    const pages = yield* listAll(starts.map((start) => ({ limit, after: after(start) })))
    const expected = (start: number) =>
      Array.from({ length: Math.min(100, 500 - start) }, (_, nth) => start + 1 + nth)
    expect(idsOf(pages)).toEqual(starts.map(expected))
    expect(pages.map(({ next }) => next._tag)).toEqual(
      starts.map((start) => (start + 100 < 500 ? "Some" : "None"))
    )
    expect(statements.length).toBe(5)
    expect(Math.max(...statements.map(({ rows }) => rows))).toBeLessThanOrEqual(1010)
  })

  live("are read once if they start at the same pet, each up to its own limit", function* () {
    const { list, listAll, other, statements } = yield* setUp
    yield* fill(other, 1, 50)
    const limits = [3, 20, 1, 100].map((one) => PageLimit.make(one))
    const queries = limits.map((one) => ({ limit: one, after: after(10) }))
    const pages = yield* listAll(queries)
    expect(statements.map(({ rows }) => rows)).toEqual([40])
    expect(idsOf(pages).map((ids) => ids.length)).toEqual([3, 20, 1, 40])
    expect(pages).toEqual(yield* Effect.forEach(queries, list))
  })

  live("are those of their own status and limit", function* () {
    const { list, listAll, other, statements } = yield* setUp
    yield* fill(other, 1, 50)
    yield* run(other, "UPDATE pets SET status = 'sold' WHERE id % 20 = 0")
    const two = PageLimit.make(2)
    const pages = yield* listAll([
      { limit: two, status: "sold" },
      { limit: two, after: after(48) },
      { limit, status: "pending" },
      { limit: two, status: "available", after: after(8) },
      { limit: PageLimit.make(1), status: "sold", after: after(20) }
    ])
    expect(idsOf(pages)).toEqual([[20, 40], [49, 50], [7], [9, 11], [40]])
    expect(statements.length).toBe(2)
    yield* fill(other, -2, 0)
    expect(idsOf([yield* list({ limit: two })])).toEqual([[-2, -1]])
  })

  live("have every text as it is, also one with what separates texts", function* () {
    const { get, listAll, other } = yield* setUp
    const texts = ["E'\\x01'", "E'a\\x01b\\x01'", "E'\\x02'", "' '", "'null'", "repeat('é', 2000)"]
    for (const [nth, text] of texts.entries()) yield* fill(other, nth * 10 + 1, nth * 10 + 10, text)
    const starts = Array.from({ length: 12 }, (_, nth) => nth * 5)
    const five = PageLimit.make(5)
    const pages = yield* listAll(starts.map((start) => ({ limit: five, after: after(start) })))
    const ids = Array.from({ length: 60 }, (_, nth) => nth + 1)
    expect(pages.flatMap(({ pets }) => pets)).toEqual(
      yield* Effect.forEach(ids, (id) => get(after(id)))
    )
    expect(pages[0]?.pets[0]?.name).toBe("\u0001")
    expect(pages[1]?.pets[4]?.status).toBe(undefined)
  })

  live("fail only where a row cannot be read", function* () {
    const { list, other } = yield* setUp
    yield* fill(other, 1, 20)
    yield* damage(other)
    const [one, two] = [PageLimit.make(1), PageLimit.make(2)]
    const [first, second] = yield* Effect.all(
      [
        list({ limit: two }),
        list({ limit: one, after: after(12) }),
        expectFailure(list({ limit: two, after: after(12) }), "damaged", 60_000)
      ],
      { concurrency: 3 }
    )
    expect(idsOf([first, second])).toEqual([[1, 2], [13]])
  })
})

describe("the statement of pages", () => {
  live("keeps its plan for any number of pages, until the table is much larger", function* () {
    const { listAll, other, pool, statements } = yield* setUp
    yield* fill(other, 1, 1000)
    const read = (count: number) =>
      listAll(
        Array.from({ length: count }, (_, nth) => ({ limit, status: "sold", after: after(nth) }))
      )
    // The first tells how large the table is.
    for (const count of [1, 8, 3, 1, 2, 5, 4, 1, 9, 1]) yield* read(count)
    const [first, ...later] = statements.map(({ name }) => name)
    expect([first === later[0], new Set(later).size]).toEqual([false, 1])
    const plans = "SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE name = $1"
    expect(yield* pool.query(plans, later[0])).toEqual([[5n, 4n]])
    yield* fill(other, 1001, 5000)
    for (const count of [1, 2]) yield* read(count)
    const [last, larger] = statements.slice(-2).map(({ name }) => name)
    expect([last === later[0], larger === last]).toEqual([true, false])
  })
})

describe("pets that are read together", () => {
  live("share statements of up to 1,000 rows", function* () {
    const { get, other, statements } = yield* setUp
    yield* fill(other, 1, 2100)
    const ids = Array.from({ length: 2200 }, (_, nth) => nth + 1)
    const found = yield* Effect.forEach(ids, (id) => Effect.option(get(after(id))), {
      concurrency: "unbounded"
    })
    expect(found.map(Option.map(({ id }) => Number(id)))).toEqual(
      ids.map((id) => (id > 2100 ? Option.none() : Option.some(id)))
    )
    expect(statements.map(({ rows }) => rows).toSorted((a, b) => a - b)).toEqual([100, 1000, 1000])
  })

  live("fail only where a row cannot be read, or is not a pet", function* () {
    const { get, other } = yield* setUp
    yield* fill(other, 1, 20)
    yield* run(other, "ALTER TABLE pets DROP CONSTRAINT pets_name_check")
    yield* run(other, "UPDATE pets SET name = '' WHERE id = 15")
    const read = Effect.all([get(after(14)), expectFailure(get(after(15)), "damaged", 60_000)], {
      concurrency: 2
    })
    expect((yield* read)[0].name).toBe("Rex 14")
    yield* damage(other)
    expect((yield* read)[0].name).toBe("Rex 14")
  })
})

interface Plan {
  readonly "Node Type": string
  readonly "Actual Rows": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Plan>
}
const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The scans and sorts of a statement for three pages, and how many rows scans have looked at, for a page. */
const explain = (other: pg.Client, text: string, mode: string, filters: string) =>
  Effect.gen(function* () {
    yield* run(other, `SET plan_cache_mode = force_${mode}_plan; PREPARE pages AS ${text}`)
    const { rows } = yield* run(
      other,
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE pages('{0,5,15000}', '{21,2,101}', ${filters})`
    )
    yield* run(other, "DEALLOCATE pages")
    const nodes = nodesOf(rows[0]["QUERY PLAN"][0].Plan)
    const scans = nodes.filter((node) => /^(Index|Seq|Bitmap)/.test(node["Node Type"]))
    return {
      types: nodes.map((node) => node["Node Type"]),
      rows: scans.map((node) => node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0))
    }
  })

/** Whatever PostgreSQL knows about the table: nothing, what was true once, or what is true. */
const analyze = "VACUUM ANALYZE pets"
const states: ReadonlyArray<readonly [string, (other: pg.Client) => Effect.Effect<unknown>]> = [
  ["an empty table", () => Effect.void],
  ["an empty table that was analyzed", (other) => run(other, analyze)],
  ["10 pets", (other) => fill(other, 1, 10)],
  ["10 pets that were analyzed", (other) => Effect.zip(fill(other, 1, 10), run(other, analyze))],
  ["10,000 pets that were never analyzed", (other) => fill(other, 1, 10_000)],
  [
    "10,000 pets of which 10 were analyzed",
    (other) => Effect.all([fill(other, 1, 10), run(other, analyze), fill(other, 11, 10_000)])
  ],
  ["20,000 pets", (other) => Effect.zip(fill(other, 1, 20_000), run(other, analyze))],
  [
    "20,000 pets, of one status in the first half only",
    (other) =>
      Effect.all([
        fill(other, 1, 20_000),
        run(other, "UPDATE pets SET status = 'sold' WHERE id < 10000"),
        run(other, analyze)
      ])
  ]
]

/** Values of each filter for the three pages. */
const values: Readonly<Record<ListPets.Filter, string>> = { status: "{available,pending,sold}" }
/** No filter, each alone, and all of them. */
const choices = [[], ...ListPets.filters.map((name) => [name]), ListPets.filters]

describe("the plan of a statement", () => {
  it.scopedLive.each(states)("reads the rows of its pages in order, with %s", ([, make]) =>
    Effect.gen(function* () {
      const { other } = yield* setUp
      yield* make(other)
      const count = Number((yield* run(other, "SELECT count(*) FROM pets")).rows[0].count)
      for (const mode of ["custom", "generic"]) {
        for (const chosen of choices) {
          const { asRows, asTexts } = PageReader.statementsFor(chosen)
          const arrays = ListPets.filters.map((name) =>
            chosen.includes(name) ? `'${values[name]}'` : "'{NULL,NULL,NULL}'"
          )
          for (const { text } of [asTexts(0n), asRows]) {
            const { rows, types } = yield* explain(other, text, mode, arrays.join())
            expect(Math.max(...rows)).toBeLessThanOrEqual(101)
            // A small table may be sorted.
            if (count > 10) expect(types.filter((type) => /Sort|Seq|Bitmap/.test(type))).toEqual([])
          }
        }
      }
    })
  )
})

/** Reads texts, whose first letter is their key. */
const setUpReads = () => {
  const turns: Array<ReadonlyArray<string>> = []
  const read = SharedReads.make<string, string, string>(
    (what) => what[0],
    (reads) => {
      turns.push(reads.map(({ what }) => what))
      for (const { settle, what } of reads) {
        settle(Exit.succeed(`read ${what}`))
      }
    }
  )
  return { read, turns }
}

describe("reads", () => {
  live("of different turns are made again, since the data may have changed", function* () {
    const { read, turns } = setUpReads()
    yield* read("a")
    yield* read("a")
    expect(turns).toEqual([["a"], ["a"]])
  })

  live("that are interrupted do not stop the others", function* () {
    const { read } = setUpReads()
    const [first, second] = yield* Effect.all([Effect.fork(read("a")), Effect.fork(read("a"))])
    yield* Effect.yieldNow()
    const interrupted = yield* Fiber.interrupt(first)
    expect(Exit.isFailure(interrupted) && Cause.isInterrupted(interrupted.cause)).toBe(true)
    expect(yield* Fiber.join(second)).toBe("read a")
  })

  live("are not made if their callers have gone before the end of the turn", function* () {
    const { read, turns } = setUpReads()
    const gone = yield* Effect.fork(read("a"))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(gone)
    yield* read("b")
    expect(turns).toEqual([["b"]])
  })
})
