/** A file that appears while a command writes one with the same name. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./Folder.ts"
import { watchCalls } from "./Interrupting.ts"
import { lines } from "./Pets.ts"
import { inFolder, run } from "./Program.ts"
import { addPets } from "./Stock.ts"

/** Expects a command to keep a file that appears just before it gives its own file that name. */
export const expectKept = (command: string, file: string) =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* addPets(path, lines(3))
    yield* inFolder(path)
    yield* Effect.acquireRelease(
      Effect.sync(() => watchCalls("link", () => writeFileSync(join(path, file), "mine"))),
      (unwatch) => Effect.sync(unwatch)
    )
    const { code, stderr, stdout } = yield* run(path, [command, file])
    expect(stderr).toBe(`${file} exists already: choose another name\n`)
    expect([code, stdout]).toEqual([1, ""])
    expect(readFileSync(join(path, file), "utf8")).toBe("mine")
    expect(readdirSync(path).sort()).toEqual([file, "data"].sort())
  })
