import { execFileSync } from "node:child_process"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { expect } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { formats } from "../src/petFiles/Formats.ts"
import * as PetFile from "../src/petFiles/PetFile.ts"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"

live("reading a FIFO without a writer blocks no thread", function* () {
  const fifo = join(yield* folder, "pets.ndjson")
  execFileSync("mkfifo", [fifo])
  // As many as Node has threads for files.
  const reading = yield* Effect.fork(
    Effect.forEach(
      [1, 2, 3, 4],
      () => Stream.runCollect(PetFile.read(fifo, formats.ndjson, process, () => {})),
      { concurrency: "unbounded" }
    )
  )
  // The first of these may be faster than the readers.
  for (let turn = 0; turn < 20; turn++) {
    expect((yield* Effect.promise(() => stat(fifo))).isFIFO()).toBe(true)
  }
  expect((yield* Fiber.interrupt(reading))._tag).toBe("Failure")
})

live("reading a file ends at the line that shows another format", function* () {
  const stdin = new PassThrough()
  stdin.write("name,categoryId\nRex,1\n")
  const records = yield* Stream.runCollect(
    PetFile.read(PetFile.pipe, formats.ndjson, { stdin }, () => {})
  )
  expect([...records]).toEqual([
    { place: 1, reason: "looks like CSV: add --format csv", isFatal: true }
  ])
  expect(stdin.destroyed).toBe(true)
})
