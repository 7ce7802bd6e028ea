/** Restarts of a service on a socket of systemd while callers read and write, as docs/deploying.md says. */
import { fileURLToPath } from "node:url"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { add, added, all, call, firstPage, page } from "../support/Calls.ts"
import { folder, live } from "../support/Folder.ts"
import { main, open } from "../support/Process.ts"

const key = "the-key-of-the-tests"
const writers = Array.from({ length: 8 }, (_, writer) => writer)
const readers = Array.from({ length: 2 }, (_, reader) => reader)

/** Waits until this many more pets are acknowledged. */
type More = (count: number) => Effect.Effect<void>

/** Adds and lists pets until the work is done. Expects that no request fails and no pet is lost. */
const underLoad = <A, R>(url: string, work: (more: More) => Effect.Effect<A, never, R>) =>
  Effect.gen(function* () {
    const acknowledged: Array<string> = []
    let isDone = false
    const write = (writer: number) =>
      Effect.iterate(0, {
        while: () => !isDone,
        body: (nth) =>
          Effect.map(add(url, key, `${writer}/${nth}`), (answer) => {
            acknowledged.push(added(answer).name)
            return nth + 1
          })
      })
    const read = () =>
      Effect.whileLoop({
        while: () => !isDone,
        body: () => call(url + firstPage, key),
        step: (answer) => page(answer)
      })
    const more: More = (count) =>
      Effect.suspend(() => {
        const goal = acknowledged.length + count
        return Effect.sync(() => acknowledged.length >= goal).pipe(
          Effect.delay("5 millis"),
          Effect.repeat({ until: (isReached) => isReached }),
          Effect.asVoid
        )
      })
    const stop = Effect.sync(() => {
      isDone = true
    })
    const together = { concurrency: "unbounded", discard: true } as const
    yield* Effect.all(
      [
        Effect.zipLeft(work(more), stop),
        Effect.forEach(writers, write, together),
        Effect.forEach(readers, read, together)
      ],
      together
    )
    const names = (yield* all(url, key)).map(({ name }) => name)
    expect(names.toSorted()).toEqual(acknowledged.toSorted())
  })

/** Processes on a socket that stays open while the first restarts, as systemd runs them. */
const unit = (count: number) =>
  Effect.gen(function* () {
    const file = fileURLToPath(new URL("../support/socketUnit.mjs", import.meta.url))
    const program = yield* open(yield* folder, [], {
      environment: { PETSTORE_API_KEYS: key },
      program: [process.execPath, file, main, String(count)]
    })
    const url = yield* Effect.promise(() => program.until(/socket on (http:\S+) /))
    yield* Effect.promise(() => program.untilAll(/serving/, count))
    return { program, url }
  })

live.each([{ count: 1 }, { count: 2 }])(
  "one of $count servers on a socket of systemd restarts without failing a request",
  function* ({ count }) {
    const { program, url } = yield* unit(count)
    yield* underLoad(url, (more) =>
      Effect.gen(function* () {
        for (let times = 1; times <= 2; times++) {
          yield* more(50)
          program.process.kill("SIGHUP")
          yield* Effect.promise(() => program.untilAll(/^ended with 0$/, times))
        }
        yield* more(50)
      })
    )
  }
)
