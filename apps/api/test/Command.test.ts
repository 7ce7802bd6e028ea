import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as Command from "../src/cli/Command.ts"
import { unavailable } from "../src/cli/CommandFailed.ts"
import * as Terminal from "../src/cli/Terminal.ts"
import * as Program from "../src/commands/Program.ts"
import { live } from "./support/Folder.ts"
import { FakeProcess } from "./support/Program.ts"

/** A terminal, and what was written to its standard error. */
const setUp = () => {
  const written: Array<string> = []
  const onOutput = (_: string, text: string) => written.push(text)
  return { terminal: new FakeProcess({}, onOutput, () => {}), written }
}

live("output that cannot be written is a failure, and ends no process", function* () {
  const { terminal, written } = setUp()
  const full = new Error("no space left")
  Object.assign(terminal.stdout, { write: (_: string, done: (e: Error) => void) => done(full) })
  const exit = yield* Effect.exit(
    Effect.provideService(Program.run(["--version"]), Terminal.Terminal, terminal)
  )
  expect(Program.exitCodeOf(exit, terminal)).toBe(1)
  expect(written).toEqual(["cannot write to standard output (no space left)\n"])
  // Without a listener, an error of a stream is thrown.
  for (const stream of [terminal.stdout, terminal.stderr]) stream.emit("error", full)
})

live.each([
  ["fails", unavailable("the outcome is unknown"), 3, ["the outcome is unknown\n"]],
  ["succeeds", Terminal.countAsDone, 0, []]
] as const)(
  "a command that runs to its end and %s after a signal says so, once, by its exit code, too",
  function* ([, end, code, lines]) {
    for (const isInterrupted of [true, false]) {
      const { terminal, written } = setUp()
      const signal = yield* Deferred.make<void>()
      const about = {
        name: "work",
        about: "works",
        examples: [],
        flags: {},
        runsToTheEnd: true
      }
      const command = Command.make(about, () => Effect.zipRight(Deferred.await(signal), end))
      const running = command.run?.(new Map()) ?? Effect.die("it runs")
      const fiber = yield* running.pipe(
        // Whatever handles failures, Effect drops those of a fiber that was interrupted.
        Effect.tapErrorCause(() => Effect.void),
        Effect.provideService(Terminal.Terminal, terminal),
        Effect.fork
      )
      yield* Effect.yieldNow()
      if (isInterrupted) yield* Fiber.interruptFork(fiber)
      yield* Effect.yieldNow()
      yield* Deferred.succeed(signal, undefined)
      const exit = yield* Fiber.await(fiber)
      expect(Program.exitCodeOf(exit, terminal)).toBe(code)
      expect(written).toEqual(lines)
      if (code !== 0 && !isInterrupted) expect(exit).toMatchObject(Exit.fail({ message: "" }))
    }
  }
)

it("a list of many has the first ten, and the number of others if there are any", () => {
  const texts = Array.from({ length: 12 }, (_, nth) => `${nth}`)
  const ten = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
  expect(Terminal.first(texts.slice(0, 10))).toBe(ten)
  expect(Terminal.first(texts)).toBe(`${ten} and 2 more`)
})
