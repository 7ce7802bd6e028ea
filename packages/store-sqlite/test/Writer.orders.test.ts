/** The writer's queue in generated orders of events, on a thread that is only a schedule. */
import { expect, it, vi } from "@effect/vitest"
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { type Values, valuesOf } from "@petstore/store-sql/PetRow"
import { Effect, Exit, FastCheck as fc, Scope } from "effect"
import * as SqliteFailure from "../src/internal/SqliteFailure.ts"
import * as Thread from "../src/internal/Thread.ts"
import * as Writer from "../src/internal/Writer.ts"
import { pet } from "./support/SqliteFile.ts"

/**
 * What becomes of a batch: committed or rolled back, by a thread that reports it or ends before it does. Another thread
 * may not start.
 */
const outcome = fc.constantFrom(
  "done",
  "done",
  "full",
  "busy",
  "lost",
  "lost after commit",
  "not started"
)
type Outcome = typeof outcome extends fc.Arbitrary<infer A> ? A : never
const codes: Partial<Record<Outcome, string>> = {
  full: "SQLITE_FULL",
  busy: "SQLITE_BUSY"
}

/** A queue that is wrong may never come to an end. */
const maxSteps = 500

/** Threads that execute orders when the schedule says so, and the file that they write to. */
const schedule = (s: fc.Scheduler, outcomes: ReadonlyArray<Outcome>) => {
  const file: Array<Values> = []
  /** What was committed, though its thread ended before it could report that. */
  const unreported = new Set<Values>()
  /** What a thread was asked, with the size of the last batch that it was in. */
  const taken = new Map<Values, number>()
  /** What has waited for a lock already, or came before what has. */
  const locked = new Set<Values>()
  const faults: Array<string> = []
  const at = (label: string, run: () => void) => void s.schedule(Promise.resolve(), label).then(run)
  let running = 0
  let asked = 0
  const start = () => {
    if (asked > 0 && outcomes[asked % outcomes.length] === "not started") {
      asked++
      throw new Error("not started")
    }
    let isBusy = false
    let hasEnded = false
    if (running++ > 0) faults.push("two threads at a time")
    const end = () => {
      if (!hasEnded) running--
      hasEnded = true
    }
    const execute = (
      commands: ReadonlyArray<Values>,
      result: Outcome,
      callback: Direct.Callback<ReadonlyArray<bigint>, StoreUnavailable>
    ) => {
      isBusy = false
      const first = file.length
      if (result === "done" || result === "lost after commit") file.push(...commands)
      if (result === "done") {
        return callback(Exit.succeed(commands.map((_, nth) => BigInt(first + nth))))
      }
      if (result === "lost after commit") for (const one of commands) unreported.add(one)
      if (result === "busy") for (const one of taken.keys()) locked.add(one)
      const code = codes[result]
      if (code === undefined) end()
      callback(Exit.fail(SqliteFailure.from(Object.assign(new Error(result), { code }))))
    }
    return {
      hasEnded: () => hasEnded,
      ask: (
        asks: ReadonlyArray<readonly [name: string, values: Values]>,
        callback: Parameters<typeof execute>[2]
      ) => {
        // Each is known by its values, which no other one has.
        const commands = asks.map(([, values]) => values)
        if (isBusy || hasEnded) faults.push("asked a thread that executes an order or has ended")
        isBusy = true
        if (commands.some((one) => locked.has(one))) faults.push("waited for a lock twice")
        for (const one of commands) taken.set(one, commands.length)
        // An empty batch opens the file.
        const result = commands.length === 0 ? "done" : outcomes[asked++ % outcomes.length]
        at(`${result}: ${commands.length}`, () => execute(commands, result ?? "done", callback))
      },
      close: Effect.async<void>((resume) => {
        if (isBusy) faults.push("closed a thread that executes an order")
        at("thread ends", () => {
          end()
          resume(Effect.void)
        })
      })
    }
  }
  return { at, faults, file, running: () => running, start, taken, unreported }
}

it("writes each accepted write once, in order, and says so, in any order of events", async () => {
  const start = vi.spyOn(Thread, "start")
  const arrivals = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 })
  const outcomes = fc.array(outcome, { minLength: 1, maxLength: 6 })
  const property = fc.asyncProperty(
    fc.scheduler(),
    arrivals,
    outcomes,
    async (s, arrivals, outcomes) => {
      const thread = schedule(s, outcomes)
      start.mockImplementation(() => Object(thread.start()))
      const scope = Effect.runSync(Scope.make())
      const opening = Writer.make("")
      const write = await s.waitFor(Effect.runPromise(Scope.extend(opening, scope)))

      const arrived: Array<Values> = []
      const exits = new Map<Values, Array<Exit.Exit<bigint, StoreUnavailable>>>()
      /** What was interrupted while it waited. */
      const interrupted = new Set<Values>()
      for (const [nth, isInterrupted] of arrivals.entries()) {
        const command = valuesOf(pet("Rex"))
        const settled: Array<Exit.Exit<bigint, StoreUnavailable>> = []
        thread.at(`write ${nth}`, () => {
          arrived.push(command)
          exits.set(command, settled)
          const cancel = Direct.start(
            () => write("pets.add", command),
            (exit) => {
              settled.push(exit)
              const isFull = Direct.isFailureWith(exit, ({ reason }) => reason === "full")
              // A queue that closes does not try those that wait.
              if (isFull && (thread.taken.get(command) ?? Number(isClosing)) !== 1) {
                thread.faults.push(`the arrival ${nth} failed without a batch of its own`)
              }
            },
            () => expect.unreachable("this needs no fiber")
          )
          if (!isInterrupted) return
          thread.at(`interrupt ${nth}`, () => {
            if (!thread.taken.has(command) && settled.length === 0) interrupted.add(command)
            cancel()
          })
        })
      }
      let isClosed = false
      let isClosing = false
      thread.at("close", () => {
        isClosing = true
        const closing = Effect.runPromise(Scope.close(scope, Exit.void))
        void closing.then(() => {
          isClosed = true
        })
      })
      for (let step = 0; step < maxSteps && s.count() > 0; step++) {
        await s.waitOne()
        if (s.count() === 0) await new Promise(setImmediate)
      }

      const { faults, file, unreported } = thread
      if (!isClosed) faults.push("not closed")
      if (thread.running() > 0) faults.push("a thread is left")
      // A file in the order of arrival has nothing twice.
      const places = file.map((command) => arrived.indexOf(command))
      if (places.some((place, nth) => nth > 0 && place <= Number(places[nth - 1]))) {
        faults.push("written twice, or not in order")
      }
      for (const [nth, command] of arrived.entries()) {
        const [exit, ...more] = exits.get(command) ?? []
        const place = file.indexOf(command)
        const isRight =
          exit === undefined || Exit.isFailure(exit)
            ? place === -1 || unreported.has(command)
            : exit.value === BigInt(place)
        if (!isRight || more.length > 0) faults.push(`the arrival ${nth} has a wrong answer`)
        if ((exit === undefined) !== interrupted.has(command)) {
          faults.push(`the arrival ${nth} has no answer, or one though it was interrupted`)
        }
      }
      expect(faults.join()).toBe("")
    }
  )
  try {
    await fc.assert(property, { numRuns: 2000, endOnFailure: true, timeout: 20_000 })
  } finally {
    start.mockRestore()
  }
})
