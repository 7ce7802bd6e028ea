import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import type { Database } from "better-sqlite3"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { connect, folder, names, openStore, pet, setUp } from "./support/SqliteFile.ts"

const arrival = (place: number, id?: bigint): Arrival => ({
  place,
  pet: { ...pet(`import ${place}`), ...(id === undefined ? {} : { id: PetId.make(id) }) }
})
const arrivals = (count: number) => Array.from({ length: count }, (_, nth) => arrival(nth))

/** Some pets, then whatever this does, and then one more. */
const interruptedBy = <E>(
  pause: Effect.Effect<unknown, E>,
  last: Arrival = arrival(1000)
): Stream.Stream<Arrival, E> =>
  Stream.fromIterable(arrivals(1000)).pipe(
    // By then the thread has put the first ones aside.
    Stream.concat(Stream.drain(Stream.fromEffect(Effect.zip(Effect.sleep("200 millis"), pause)))),
    Stream.concat(Stream.make(last))
  )

const insert = (database: Database, id: number) =>
  Effect.sync(() =>
    database.exec(`INSERT INTO pets (id, name, category_id) VALUES (${id}, 'other', 1)`)
  )

/** All that is in the file, and whether its lock is free. */
const state = (database: Database) => {
  database.exec("BEGIN IMMEDIATE")
  database.exec("ROLLBACK")
  return {
    pets: database.prepare("SELECT count(*) FROM pets").pluck().get(),
    lastId: database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'").pluck().get(),
    tables: database.prepare("SELECT name FROM sqlite_master ORDER BY name").pluck().all()
  }
}

describe.concurrent("an import into a SQLite file", () => {
  it.scopedLive("does not block other writes while its pets arrive", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      const writes = Effect.zip(insert(other, 7), store.add(pet("own")))
      expect(yield* store.addAll(interruptedBy(writes))).toBe(1001)
      expect((yield* names(store)).slice(0, 3)).toEqual(["other", "own", "import 0"])
      expect(state(other).pets).toBe(1003)
    })
  )

  it.scopedLive("sees an id that is taken while its pets arrive", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      const pets = interruptedBy(insert(other, 5000), arrival(1000, 5000n))
      const failure = yield* Effect.flip(store.addAll(pets))
      expect(failure).toMatchObject({ _tag: "IdsTaken", taken: [{ place: 1000, id: 5000n }] })
      expect(yield* names(store)).toEqual(["other"])
    })
  )

  it.scopedLive("leaves nothing in the file and nothing locked when it fails", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      yield* store.add(pet("before"))
      const before = state(other)
      const failure = yield* Effect.flip(store.addAll(interruptedBy(Effect.fail("no more"))))
      expect(failure).toBe("no more")
      expect(state(other)).toEqual(before)
    })
  )

  it.scopedLive("leaves nothing in the file and nothing locked when it is interrupted", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      yield* store.add(pet("before"))
      const before = state(other)
      const reached = yield* Deferred.make<void>()
      const pause = Effect.zip(Deferred.succeed(reached, undefined), Effect.never)
      const importing = yield* Effect.fork(store.addAll(interruptedBy(pause)))
      yield* Deferred.await(reached)
      yield* Effect.timeout(Fiber.interrupt(importing), "5 seconds")
      expect(state(other)).toEqual(before)
    })
  )

  it.scopedLive("is busy when another holds the lock in the end, and adds nothing", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      const lock = Effect.sync(() => other.exec("BEGIN IMMEDIATE"))
      const failure = yield* Effect.flip(store.addAll(interruptedBy(lock)))
      expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "busy" })
      other.exec("ROLLBACK")
      expect(state(other).pets).toBe(0)
      expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
      expect(yield* names(store)).toEqual(["import 0", "import 1", "import 2"])
    })
  )

  it.scopedLive("waits for a lock that is released in time, and blocks no other operation", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "pets.db")
      // Longer than what follows takes on a busy machine.
      const store = yield* openStore({ filename, busyTimeout: "1 minute" })
      const other = yield* connect(filename)
      other.exec("BEGIN IMMEDIATE")
      const importing = yield* Effect.fork(store.addAll(Stream.fromIterable(arrivals(3))))
      yield* Effect.repeatN(Effect.sleep("10 millis"), 50)
      expect(yield* names(store)).toEqual([])
      expect(importing.unsafePoll()).toBeNull()
      other.exec("ROLLBACK")
      expect(yield* Fiber.join(importing)).toBe(3)
    })
  )
})

describe.concurrent("an import whose thread cannot open the file", () => {
  const ways: ReadonlyArray<readonly [string, (filename: string) => void]> = [
    ["was deleted", rmSync],
    ["was moved", (filename) => renameSync(filename, `${filename}.away`)],
    ["has lost its folder", (filename) => rmSync(dirname(filename), { recursive: true })]
  ]
  for (const [how, lose] of ways) {
    for (const [when, pets] of [
      ["come at once", Stream.fromIterable(arrivals(3))],
      ["take their time", Stream.drain(Stream.fromEffect(Effect.sleep("500 millis")))]
    ] as const) {
      it.scopedLive(`is down, as it ${how}, when its pets ${when}`, () =>
        Effect.gen(function* () {
          const { filename, store } = yield* setUp
          lose(filename)
          const failure = yield* Effect.flip(store.addAll(pets)).pipe(Effect.timeout("10 seconds"))
          expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "down" })
          // An empty file in its place would look as if there had never been a pet.
          expect(existsSync(filename)).toBe(false)
          // The folder is removed when the test is over, so there has to be one.
          yield* Effect.sync(() => mkdirSync(dirname(filename), { recursive: true }))
        })
      )
    }
  }

  it.scopedLive("is damaged when the file is", () =>
    Effect.gen(function* () {
      const { filename, other, store } = yield* setUp
      yield* store.add(pet("first"))
      other.pragma("wal_checkpoint(TRUNCATE)")
      const page = other.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'pets'").pluck()
      const start = 4096 * (Number(page.get()) - 1)
      writeFileSync(filename, readFileSync(filename).fill(0xa5, start, start + 4096))
      const failure = yield* Effect.flip(store.addAll(Stream.fromIterable(arrivals(3))))
      expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "damaged" })
    })
  )
})
