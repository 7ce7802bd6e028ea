/** A file that appears while a command writes one with the same name. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./Folder.ts"
import { lines } from "./Pets.ts"
import { open } from "./Program.ts"
import type { Result } from "./Running.ts"
import { addPets } from "./Stock.ts"

/** Runs the command, and creates the file before it does; repeats until that was in time. */
const appearing = (
  path: string,
  words: ReadonlyArray<string>,
  file: string
): Effect.Effect<Result> =>
  Effect.gen(function* () {
    const command = yield* open(path, words)
    while (!readdirSync(path).some((name) => name.startsWith(file))) {
      yield* Effect.sleep("1 millis")
    }
    const isInTime = yield* Effect.sync(() => {
      try {
        writeFileSync(join(path, file), "mine", { flag: "wx" })
        return true
      } catch {
        return false
      }
    })
    const ended = yield* Effect.promise(() => command.ended)
    if (isInTime) return ended
    rmSync(join(path, file))
    return yield* appearing(path, words, file)
  }).pipe(Effect.scoped)

/** Expects a command to keep a file that appears while it writes one with that name. */
export const expectKept = (command: string, file: string) =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* addPets(path, lines(20_000, "x".repeat(200)))
    const { code, stderr, stdout } = yield* appearing(path, [command, file], file)
    expect(stderr).toBe(`${file} exists already: choose another name\n`)
    expect([code, stdout]).toEqual([1, ""])
    expect(readFileSync(join(path, file), "utf8")).toBe("mine")
    expect(readdirSync(path).sort()).toEqual([file, "data"].sort())
  })
