/** Files that are moved, deleted or replaced while a store has them open. */
import { execFileSync } from "node:child_process"
import { renameSync, rmSync, statSync } from "node:fs"
import { describe, expect, it, vi } from "@effect/vitest"
import type { PetStore } from "@petstore/domain/PetStore"
import { Effect, Schedule } from "effect"
import * as OpenFile from "../src/internal/OpenFile.ts"
import * as WriteConnection from "../src/internal/WriteConnection.ts"
import { limit, live, names, openStore, pet, setUp } from "./support/SqliteFile.ts"

const down = { _tag: "StoreUnavailable", reason: "down" }

/** Reads until that fails, or until it no longer fails. */
const becomes = (store: PetStore["Type"], tag: "Left" | "Right") =>
  Effect.either(store.list({ limit })).pipe(
    Effect.repeat({
      until: (result) => result._tag === tag,
      schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo("30 seconds"))
    }),
    Effect.zipRight(Effect.either(store.list({ limit })))
  )

const away = (path: string) => renameSync(path, `${path}.away`)
const back = (path: string) => renameSync(`${path}.away`, path)
const cases: ReadonlyArray<readonly [string, string, (path: string) => void]> = [
  ["was moved", "", away],
  [
    "was replaced",
    "",
    (path) => {
      away(path)
      // In another process: one that closes a file loses all locks that it has on it.
      execFileSync("cp", [`${path}.away`, path])
    }
  ],
  ["has lost its log", "-wal", away],
  ["has lost its shared memory", "-shm", away]
]

describe.concurrent("reads of a file", () => {
  for (const [how, suffix, lose] of cases) {
    live(`that ${how} fail soon, until it is back in its place`, function* () {
      const { filename, keys, store } = yield* setUp
      const { id } = yield* store.add(pet("first"))
      lose(filename + suffix)
      // At once: keys may be revoked in the other file.
      expect(yield* Effect.flip(keys.changes(undefined))).toMatchObject(down)
      expect(yield* becomes(store, "Left")).toMatchObject({ left: down })
      expect(yield* Effect.flip(store.get(id))).toMatchObject(down)
      back(filename + suffix)
      yield* becomes(store, "Right")
      expect(yield* names(store)).toEqual(["first"])
      expect(yield* store.get(id)).toMatchObject({ name: "first" })
    })
  }

  live("that was deleted fail soon", function* () {
    const { filename, store } = yield* setUp
    rmSync(filename)
    expect(yield* becomes(store, "Left")).toMatchObject({ left: down })
  })
})

it("files are looked at twice a second while they are read", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0)
  const looks: Array<number> = []
  const check = OpenFile.rarely(() => looks.push(performance.now()))
  for (const now of [499, 500, 501, 999, 1000, 1499, 1500]) {
    clock.mockReturnValue(now)
    check()
  }
  clock.mockRestore()
  expect(looks).toEqual([500, 1000, 1500])
})

describe.concurrent("writes to a file", () => {
  for (const [how, suffix, lose] of cases) {
    live(`that ${how} fail and change nothing, until it is back in its place`, function* () {
      const { filename, other, store } = yield* setUp
      yield* store.add(pet("before"))
      lose(filename + suffix)
      for (let nth = 0; nth < 2; nth++) {
        expect(yield* Effect.flip(store.add(pet("refused")))).toMatchObject(down)
      }
      back(filename + suffix)
      yield* store.add(pet("after"))
      expect(other.prepare("SELECT name FROM pets").pluck().all()).toEqual(["before", "after"])
    })

    live(`that ${how} within a transaction are rolled back`, function* () {
      const { filename, other } = yield* setUp
      const { database, transaction } = yield* Effect.acquireRelease(
        Effect.sync(() =>
          WriteConnection.open({ filename, busyMillis: 1000, giveUp: new Int32Array(1) })
        ),
        ({ database }) => Effect.sync(() => database.close())
      )
      const insert = database.prepare("INSERT INTO pets (name, category_id) VALUES ('x', 1)")
      const path = filename + suffix
      expect(() =>
        transaction(() => {
          insert.run()
          lose(path)
        })
      ).toThrow(`${path} was moved, deleted or replaced`)
      back(path)
      const count = other.prepare("SELECT count(*) FROM pets").pluck()
      expect(count.get()).toBe(0)
      transaction(() => insert.run())
      expect(count.get()).toBe(1)
    })
  }

  for (const suffix of ["", "-wal", "-shm"]) {
    live(`fail while pets${suffix} is missing`, function* () {
      const { filename, store } = yield* setUp
      rmSync(filename + suffix)
      expect(yield* Effect.flip(store.add(pet("refused")))).toMatchObject(down)
    })
  }

  live("continue when another process makes it smaller, or empties its log", function* () {
    const { filename, other, store } = yield* setUp
    const second = yield* openStore({ filename })
    for (let nth = 0; nth < 50; nth++) yield* store.add(pet("x".repeat(1000)))
    other.pragma("wal_checkpoint(TRUNCATE)")
    const before = statSync(filename).size
    other.exec("DELETE FROM pets; VACUUM")
    other.pragma("wal_checkpoint(TRUNCATE)")
    expect(statSync(filename).size).toBeLessThan(before)
    yield* second.add(pet("second"))
    yield* store.add(pet("after"))
    expect(yield* names(second)).toEqual(["second", "after"])
  })
})
