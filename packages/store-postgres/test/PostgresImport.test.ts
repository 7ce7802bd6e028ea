import { describe, expect, it } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { connect, database, names, openStore, pet } from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

const arrival = (place: number, id?: bigint): Arrival => ({
  place,
  pet: { ...pet(`import ${place}`), ...(id === undefined ? {} : { id: PetId.make(id) }) }
})
const arrivals = (count: number) => Array.from({ length: count }, (_, nth) => arrival(nth))

/** A thousand pets, then whatever this does, and then one more. */
const interruptedBy = <E>(pause: Effect.Effect<unknown, E>, last = arrival(1000)) =>
  Stream.fromIterable(arrivals(1000)).pipe(
    Stream.concat(Stream.drain(Stream.fromEffect(Effect.zip(Effect.sleep("200 millis"), pause)))),
    Stream.concat(Stream.make(last))
  )

const setUp = Effect.gen(function* () {
  const url = yield* database
  const options = { url, maxConnections: 3, lockTimeout: "500 millis" } as const
  const store = yield* openStore(options)
  const second = yield* openStore(options)
  const other = yield* connect(url)
  const run = (sql: string) => Effect.promise(async () => (await other.query(sql)).rows)
  const staged = run(
    "SELECT (SELECT count(*) FROM pet_imports) + (SELECT count(*) FROM imported_pets) AS n"
  )
  return { run, second, staged: Effect.map(staged, ([row]) => Number(row.n)), store }
})

describe("an import into PostgreSQL", () => {
  it.scopedLive(
    "does not block other writes while its pets arrive, and leaves nothing staged",
    () =>
      Effect.gen(function* () {
        const { second, staged, store } = yield* setUp
        const writes = Effect.zip(second.add(pet("other")), store.add(pet("own")))
        expect(yield* store.addAll(interruptedBy(writes))).toBe(1001)
        expect((yield* names(store)).slice(0, 3)).toEqual(["other", "own", "import 0"])
        expect(yield* staged).toBe(0)
      })
  )

  it.scopedLive("sees an id that is taken while its pets arrive", () =>
    Effect.gen(function* () {
      const { second, staged, store } = yield* setUp
      const rival = second.addAll(Stream.make(arrival(1, 5000n)))
      const failure = yield* Effect.flip(
        store.addAll(interruptedBy(Effect.orDie(rival), arrival(1000, 5000n)))
      )
      expect(failure).toMatchObject({ _tag: "IdsTaken", taken: [{ place: 1000, id: 5000n }] })
      expect(yield* names(store)).toEqual(["import 1"])
      expect(yield* staged).toBe(0)
    })
  )

  it.scopedLive("leaves nothing when it fails or is interrupted", () =>
    Effect.gen(function* () {
      const { staged, store } = yield* setUp
      expect(yield* Effect.flip(store.addAll(interruptedBy(Effect.fail("no more"))))).toBe(
        "no more"
      )
      expect(yield* staged).toBe(0)
      const reached = yield* Deferred.make<void>()
      const pause = Effect.zip(Deferred.succeed(reached, undefined), Effect.never)
      const importing = yield* Effect.fork(store.addAll(interruptedBy(pause)))
      yield* Deferred.await(reached)
      expect(yield* staged).toBeGreaterThan(0)
      yield* Fiber.interrupt(importing)
      expect(yield* staged).toBe(0)
      expect(yield* names(store)).toEqual([])
    })
  )

  it.scopedLive("is busy when another holds the lock in the end, and adds nothing", () =>
    Effect.gen(function* () {
      const { run, staged, store } = yield* setUp
      const lock = run("BEGIN; UPDATE pet_ids SET last = last")
      yield* expectFailure(store.addAll(interruptedBy(lock)), "busy", 5000)
      yield* run("ROLLBACK")
      expect(yield* names(store)).toEqual([])
      expect(yield* staged).toBe(0)
      expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
    })
  )

  it.scopedLive("removes what another left a day ago, and is down if that was itself", () =>
    Effect.gen(function* () {
      const { run, second, staged, store } = yield* setUp
      const age = run("UPDATE pet_imports SET started = now() - INTERVAL '25 hours'")
      const sweep = Effect.orDie(second.addAll(Stream.make(arrival(1))))
      yield* expectFailure(store.addAll(interruptedBy(Effect.zip(age, sweep))), "down", 5000)
      expect(yield* staged).toBe(0)
      expect(yield* names(store)).toEqual(["import 1"])
    })
  )
})
