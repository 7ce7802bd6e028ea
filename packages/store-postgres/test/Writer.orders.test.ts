/** The queues of two servers on one database, in generated orders of events. */
import { expect, it, vi } from "@effect/vitest"
import { type Added, make } from "@petstore/domain/Idempotency"
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { valuesOf } from "@petstore/store-sql/PetRow"
import { Cause, Effect, Exit, FastCheck as fc, Option, Scope } from "effect"
import type { Send } from "../src/internal/ConnectionPool.ts"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import * as Writer from "../src/internal/Writer.ts"
import { pet } from "./support/Databases.ts"

/** What becomes of a statement: executed, refused because of a lock, or not answered, executed or not. */
const outcome = fc.constantFrom("done", "done", "done", "locked", "lost", "lost after commit")
type Outcome = typeof outcome extends fc.Arbitrary<infer A> ? A : never

/** A call of one of the servers. There are few keys, so that they are used again, for the same pet or another. */
const call = fc.record({
  server: fc.nat(1),
  key: fc.constantFrom(undefined, "a", "b", "c"),
  isTom: fc.boolean()
})

/** A queue that is wrong may never come to an end. */
const maxSteps = 500

type At = (label: string, run: () => void) => void

interface Row {
  readonly name: string
  readonly key: string | undefined
}

/** A database that executes a statement at one moment and answers at another, and has a limited number of ids. */
const schedule = (at: At, outcomes: ReadonlyArray<Outcome>, maxId: number) => {
  /** The id of each is its place, from 1 on. */
  const rows: Array<Row> = []
  /** What was added by a statement whose answer was lost. */
  const unreported = new Set<string>()
  let sent = 0
  const idOf = (key: string) => rows.findIndex((row) => row.key === key) + 1
  /** The result of a statement, which is known by its parameters: those with keys have no number first. */
  const execute = ([first, second, , fourth]: ReadonlyArray<unknown>, isReported: boolean) => {
    const [names, keys] = Array.isArray(first) ? [Object(fourth), first] : [Object(second), []]
    const asked: ReadonlyArray<Row> = names.map((name: string, nth: number) => ({
      name,
      key: keys[nth]
    }))
    const known = asked.flatMap(({ key = "" }) => (idOf(key) > 0 ? key : []))
    const added = asked.filter(({ key = "" }) => !known.includes(key))
    if (rows.length + added.length > maxId && added.length > 0) {
      throw Object.assign(new Error(), { code: "22003" })
    }
    rows.push(...added)
    if (!isReported) for (const row of added) unreported.add(row.name)
    const last = added.length > 0 ? BigInt(rows.length) : null
    if (known.length === 0) return [[last, 0n, null]]
    return known.map((key) => {
      const id = idOf(key)
      return [last, 0n, key, BigInt(id), ...valuesOf(pet(rows[id - 1]?.name ?? ""))]
    })
  }
  const send: Send = (statement, values, callback) => {
    const { name } = Object(statement)
    const result = outcomes[sent++ % outcomes.length] ?? "done"
    at(`${result}: ${name}`, () => {
      const exit = PostgresFailure.attempt(() => {
        if (result === "locked") throw Object.assign(new Error(result), { code: "55P03" })
        if (result === "lost") throw new Error(result)
        const rows = execute(values, result === "done")
        if (result === "lost after commit") throw new Error(result)
        return Object(rows)
      })
      at(`answer of ${name}`, () => callback(exit))
    })
  }
  return { idOf, rows, send, unreported }
}

/** Lets the schedule say when the timers of a queue end. */
const stubTimers = (at: At) => {
  const { clearTimeout, setTimeout } = globalThis
  const cleared = new Set<unknown>()
  vi.stubGlobal("setTimeout", (run: () => void, millis = 0) => {
    // Fibers have some, too.
    if (millis === 0) return setTimeout(run)
    const timer = {}
    at(`${millis} ms`, () => void (cleared.has(timer) || run()))
    return timer
  })
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout | undefined) => {
    cleared.add(timer)
    clearTimeout(timer)
  })
}

it("adds each pet once, in order, and one for each key, in any order of events", () =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(call, { minLength: 1, maxLength: 12 }),
      fc.array(outcome, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 12 }),
      // Those of a queue that never gives up wait for larger batches.
      fc.record({ patience: fc.constantFrom(0, 5000), closesEarly: fc.boolean() }),
      async (s, calls, outcomes, maxId, { closesEarly, patience }) => {
        const at: At = (label, run) => void s.schedule(Promise.resolve(), label).then(run)
        const { idOf, rows, send, unreported } = schedule(at, outcomes, maxId)
        const faults: Array<string> = []
        const check = (isRight: boolean, fault: string) => {
          if (!isRight) faults.push(fault)
        }
        stubTimers(at)
        let open = 2
        let isClosing = false
        /** The greatest id that each server has given. */
        const given = [0, 0]
        const servers = given.map(() => {
          const scope = Effect.runSync(Scope.make())
          const add = Effect.runSync(Scope.extend(Writer.make({ patience, send }), scope))
          const close = () =>
            void Effect.runPromise(Scope.close(scope, Exit.void)).then(() => open--)
          return { add, close }
        })
        const close = () => {
          isClosing = true
          for (const server of servers) server.close()
        }
        if (closesEarly) at("close", close)
        const answers = calls.map(() => 0)
        for (const [nth, { isTom, key, server }] of calls.entries()) {
          const name = key === undefined ? `pet ${nth}` : isTom ? "Tom" : "Rex"
          const once = key === undefined ? {} : { once: make(key, 0) }
          let isUsed = false
          const onExit = (exit: Exit.Exit<Added, StoreUnavailable>) => {
            answers[nth] = 1 + Number(answers[nth])
            const failure = Option.getOrUndefined(
              Exit.causeOption(exit).pipe(Option.flatMap(Cause.failureOption))
            )
            const added = Exit.isSuccess(exit) ? exit.value : undefined
            const id = Number(added?.pet.id)
            const row = rows[id - 1]
            if (failure !== undefined) {
              const isAdded = rows.some((row) => row.name === name)
              check(
                key !== undefined || !isAdded || unreported.has(name),
                `${nth} failed, but was added`
              )
              // A queue that closes lets all fail like the first that does.
              const isFull = failure.reason === "full"
              check(
                !isFull || isClosing || (rows.length === maxId && !isUsed),
                `${nth} was refused an id`
              )
            } else if (added?.isRepeat) {
              check(key !== undefined && row?.key === key, `${nth} is a repeat of another`)
              check(row?.name === added.pet.name, `${nth} got another pet than the first`)
            } else {
              check(row?.name === name && row.key === key, `${nth} got the id ${id} of another`)
              check(id > Number(given[server]), `${nth} got an id twice, or out of order`)
              given[server] = id
            }
          }
          at(`call ${nth}`, () => {
            isUsed = idOf(key ?? "") > 0
            const { add } = servers[server] ?? expect.unreachable()
            Direct.start(
              () => add({ pet: pet(name), ...once }),
              onExit,
              () => expect.unreachable()
            )
          })
        }
        for (let step = 0; step < maxSteps && s.count() > 0; step++) {
          await s.waitOne()
          if (s.count() > 0) continue
          if (!isClosing) close()
          await new Promise(setImmediate)
        }
        vi.unstubAllGlobals()
        check(
          answers.every((count) => count === 1),
          `not one answer each: ${answers}`
        )
        const plain = rows.flatMap(({ key, name }) => (key === undefined ? name : []))
        check(new Set(plain).size === plain.length, `added twice: ${plain}`)
        check(open === 0, `${open} servers do not close`)
        expect(faults.join()).toBe("")
      }
    ),
    { numRuns: 500, endOnFailure: true, timeout: 20_000 }
  ))
