/** Adds pets in batches: what arrives while one batch is committed goes into the next. */
import * as Direct from "@petstore/direct/Direct"
import type { NewPet } from "@petstore/domain/Pet"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Columns from "./Columns.ts"
import type { Database } from "./Database.ts"
import { arraysOf } from "./PetRow.ts"
import * as PostgresFailure from "./PostgresFailure.ts"

/** Adds a pet. Succeeds with its id once it is committed. */
export type Add = (pet: NewPet) => Effect.Effect<bigint, StoreUnavailable>

interface Waiting {
  readonly pet: NewPet
  readonly settle: Direct.Callback<bigint, StoreUnavailable>
}

/** The length of the queue. */
export interface Options {
  /** How many pets may wait; 10,000 by default. Any more are refused as busy. */
  readonly mostWaiting?: number
  /** Told how many pets were committed together. */
  readonly onBatch?: ((size: number) => void) | undefined
}

const mostInABatch = 256
const mostRetries = 5

/** One statement, so one round trip. The lock of the row of `pet_ids` is held until it is committed. */
const addPets = {
  name: "petstore_add",
  text: `WITH
    ids AS (UPDATE pet_ids SET last = last + $1::bigint RETURNING last),
    added AS (
      INSERT INTO pets (id, ${Columns.pet})
      SELECT ids.last - $1::bigint + new.nth, ${Columns.pet.replaceAll(/\w+/g, "new.$&")}
      FROM ids, unnest(${Columns.petArrays(2)}) WITH ORDINALITY AS new (${Columns.pet}, nth)
    )
    SELECT last FROM ids`
}

type Outcome = Exit.Exit<bigint, StoreUnavailable>

/** Starts a queue. When the scope closes, what was accepted is written first. */
export const make = (
  { send }: Pick<Database, "send">,
  { mostWaiting = 10_000, onBatch = () => {} }: Options = {}
): Effect.Effect<Add, never, Scope.Scope> =>
  Effect.gen(function* () {
    // In order of arrival. A set, so that a pet whose caller is interrupted leaves at once.
    const waiting = new Set<Waiting>()
    let isWriting = false
    let closed = false
    let onIdle = () => {}

    /** Commits these pets and calls back with the greatest of their ids. */
    const commit = (pets: ReadonlyArray<NewPet>, callback: (outcome: Outcome) => void, tries = 0) =>
      send<[bigint]>(addPets, [pets.length, ...arraysOf(pets)], (exit) => {
        if (isFailureWith(exit, PostgresFailure.isConflict) && tries < mostRetries) {
          return commit(pets, callback, tries + 1)
        }
        callback(Exit.flatMap(exit, ([row]) => (row ? Exit.succeed(row[0]) : noLastId)))
      })

    const flush = () => {
      if (isWriting) return
      if (waiting.size === 0) return onIdle()
      isWriting = true
      const batch = takeFirst(waiting, mostInABatch)
      write(batch, (outcome) => {
        isWriting = false
        // When the lock was not released in time or there is no connection, the pets that wait fail, too,
        // without a wait each; also when nobody is there any more to wait for them.
        const isHopeless = isFailureWith(outcome, ({ reason }) => reason === "busy" || closed)
        if (isHopeless) for (const one of takeFirst(waiting, waiting.size)) one.settle(outcome)
        flush()
      })
    }

    /** Pets that do not fit together are tried one by one: there may be ids for some of them. */
    const write = (batch: ReadonlyArray<Waiting>, callback: (outcome: Outcome) => void): void =>
      commit(
        batch.map(({ pet }) => pet),
        (outcome) => {
          if (batch.length > 1 && isFailureWith(outcome, ({ reason }) => reason === "full")) {
            return oneByOne(batch, callback)
          }
          if (Exit.isSuccess(outcome)) onBatch(batch.length)
          for (const [nth, { settle }] of batch.entries()) {
            settle(Exit.map(outcome, (last) => last - BigInt(batch.length - 1 - nth)))
          }
          callback(outcome)
        }
      )
    const oneByOne = (
      [first, ...others]: ReadonlyArray<Waiting>,
      callback: (outcome: Outcome) => void
    ): void => {
      if (first === undefined) callback(Exit.succeed(0n))
      else write([first], () => oneByOne(others, callback))
    }

    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        closed = true
        onIdle = () => resume(Effect.void)
        flush()
      })
    )

    return (pet) =>
      Direct.async((settle) => {
        const one = { pet, settle }
        if (closed) settle(unavailable("down", "the store is closed"))
        else if (waiting.size >= mostWaiting) {
          settle(unavailable("busy", `${waiting.size} writes are waiting already`))
        } else {
          waiting.add(one)
          flush()
        }
        return () => void waiting.delete(one)
      })
  })

/** Removes the first of these, at most so many. */
const takeFirst = <A>(from: Set<A>, most: number): ReadonlyArray<A> => {
  const taken = Array.from(Iterable.take(from, most))
  for (const one of taken) from.delete(one)
  return taken
}

const isFailureWith = <A>(
  exit: Exit.Exit<A, StoreUnavailable>,
  predicate: (failure: StoreUnavailable) => boolean
): boolean => Exit.isFailure(exit) && Option.exists(Cause.failureOption(exit.cause), predicate)

const unavailable = (reason: StoreUnavailable["reason"], message: string) =>
  Exit.fail(new StoreUnavailable({ reason, cause: new Error(message) }))

const noLastId = Exit.fail(PostgresFailure.damaged("the table pet_ids has no row"))
