/** A directory of keys in generated orders of events: changes of keys, reads, their answers, timers, interruptions. */
import { expect, it } from "@effect/vitest"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Clock, Effect, Exit, Fiber, FastCheck as fc, Logger, LogLevel, Scope } from "effect"
import * as KeyDirectory from "../src/internal/KeyDirectory.ts"
import { digestOf, down, keyOf, unused } from "./support/Keys.ts"

type At = (label: string, run: () => void) => void

const letters = ["a", "b"]
const keys = letters.map((letter) => ({
  active: keyOf(letter),
  revoked: keyOf(letter, { revoked: 0 })
}))

/** A change of a key, a read, or the end of one of the directory's timers. */
const event = fc.record({
  what: fc.constantFrom("add", "revoke", "remove", "read", "read", "read", "stop a read", "timer"),
  nth: fc.nat(1)
})
const answer = fc.constantFrom("answer", "answer", "answer", "failure", "silence")

/** A directory that is wrong may never come to an end. */
const maxSteps = 100

/** A store that reads at one moment and answers at another. */
const schedule = (at: At, answers: ReadonlyArray<string>) => {
  /** Whether each key is active or revoked, if it is there, after each change. */
  const versions: Array<ReadonlyArray<"active" | "revoked" | undefined>> = [["active", undefined]]
  let asked = 0
  let known = -1
  const changesSince = (since: string | undefined) => {
    const version = versions.length - 1
    const now = versions[version] ?? []
    const before = since === undefined ? undefined : versions[Number(since)]
    const isGone = before?.some((state, nth) => state !== undefined && now[nth] === undefined)
    const isAll = before === undefined || isGone === true
    const found = keys.flatMap((key, nth) => {
      const state = now[nth]
      return state === undefined || (!isAll && before?.[nth] === state) ? [] : key[state]
    })
    return { version: String(version), keys: found, isAll }
  }
  const store: ApiKeyStore["Type"] = {
    ...unused,
    changes: (since) =>
      Effect.async<ReturnType<typeof changesSince>, StoreUnavailable>((resume) => {
        const what = asked === 0 ? "answer" : answers[asked % answers.length]
        asked++
        at(`read since ${since}`, () => {
          const changes = changesSince(since)
          const { version } = changes
          if (what === "answer") at(`answer ${version}`, () => resume(Effect.succeed(changes)))
          if (what === "failure") at("failure", () => resume(down))
        })
      }).pipe(
        // Only of a read that still waits for it.
        Effect.tap(({ version }) => {
          known = Math.max(known, Number(version))
        })
      ),
    noteUses: () => Effect.void
  }
  const change = (what: string, nth: number) => {
    const state = what === "add" ? "active" : what === "revoke" ? "revoked" : undefined
    const now = versions.at(-1) ?? []
    // A key that was revoked is not active again, and one that is not there is not revoked.
    if (now[nth] === "revoked" && state === "active") return
    if (now[nth] === undefined && state === "revoked") return
    versions.push(now.map((before, at) => (at === nth ? state : before)))
  }
  return { change, store, known: () => versions[known] }
}

it("accepts exactly the keys of the latest read, in any order of events", () =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(event, { minLength: 1, maxLength: 20 }),
      fc.array(answer, { minLength: 1, maxLength: 5 }),
      async (s, events, answers) => {
        const at: At = (label, run) => void s.schedule(Promise.resolve(), label).then(run)
        const { change, known, store } = schedule(at, answers)
        const timers = new Set<() => void>()
        // It stands still: reads are not older on a slow machine.
        const clock = Object.assign(Clock.make(), {
          unsafeCurrentTimeMillis: () => 0,
          unsafeCurrentTimeNanos: () => 0n,
          sleep: () =>
            Effect.async<void>((resume) => {
              const end = () => {
                timers.delete(end)
                resume(Effect.void)
              }
              timers.add(end)
              return Effect.sync(() => timers.delete(end))
            })
        })
        const run = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.runFork(
            effect.pipe(Effect.withClock(clock), Logger.withMinimumLogLevel(LogLevel.None))
          )
        const step = async () => {
          if (s.count() > 0) await s.waitOne()
          await new Promise(setImmediate)
        }
        const scope = Effect.runSync(Scope.make())
        const opening = run(Scope.extend(KeyDirectory.make(store, {}), scope))
        const directory = await s.waitFor(Effect.runPromise(Fiber.join(opening)))

        const read = Effect.exit(directory.authenticate(digestOf("c"), () => true))
        let reading = run(read)
        for (const { nth, what } of events) {
          at(`${what} ${nth}`, () => {
            if (what === "read") reading = run(read)
            else if (what === "stop a read") reading.unsafeInterruptAsFork(reading.id())
            else if (what === "timer") Array.from(timers)[nth]?.()
            else change(what, nth)
          })
        }
        const faults: Array<string> = []
        for (let left = maxSteps; left > 0 && s.count() > 0; left--) {
          await step()
          const expected = known()?.map((state) => state === "active")
          const accepted = letters.map((letter) =>
            Exit.isSuccess(Effect.runSyncExit(directory.authenticate(digestOf(letter))))
          )
          if (String(accepted) !== String(expected)) {
            faults.push(`accepts ${accepted}, not ${expected}`)
          }
        }
        for (const last of [read, Scope.close(scope, Exit.void)]) {
          const fiber = run<unknown, never>(last)
          for (let left = maxSteps; left > 0 && fiber.unsafePoll() === null; left--) {
            if (s.count() === 0) for (const end of timers) end()
            await step()
          }
          if (fiber.unsafePoll() === null) faults.push("reads no more, or does not close")
        }
        expect(faults.join()).toBe("")
      }
    ),
    { numRuns: 300, endOnFailure: true, timeout: 20_000 }
  ))
