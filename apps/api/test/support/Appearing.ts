/** A file that appears while a command writes one with the same name. */
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { open, type Result } from "./Program.ts"

/** Runs the command, and creates the file before it does; repeats until that was in time. */
export const appearing = (
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
