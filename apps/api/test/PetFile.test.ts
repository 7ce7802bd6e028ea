import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { type FileHandle, open, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough, Readable } from "node:stream"
import { expect } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import * as Terminal from "../src/cli/Terminal.ts"
import { formats } from "../src/petFiles/Formats.ts"
import * as PetFile from "../src/petFiles/PetFile.ts"
import { folder, live } from "./support/Folder.ts"
import { replaceCall } from "./support/Interrupting.ts"

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

live("reading a file ends at a line after which nothing can be read", function* () {
  const stdin = new PassThrough()
  stdin.write("name\nRex,1\n")
  const records = yield* Stream.runCollect(
    PetFile.read(PetFile.pipe, formats.csv, { stdin }, () => {})
  )
  expect([...records]).toMatchObject([{ place: 1, isFatal: true }])
  expect(stdin.destroyed).toBe(true)
})

live(
  "reading a file without a last line break completes its last record, or says why not",
  function* () {
    const read = (text: string) =>
      Stream.runCollect(
        PetFile.read(
          PetFile.pipe,
          formats.csv,
          { stdin: Readable.from([Buffer.from(text)]) },
          () => {}
        )
      )
    const header = "name,categoryId\n"
    expect([...(yield* read(`${header}"Rex\nRay",1`))]).toMatchObject([
      { pet: { name: "Rex\nRay", categoryId: 1n } }
    ])
    expect([...(yield* read(`${header}"Rex`))]).toMatchObject([
      { place: 2, reason: expect.stringContaining("never closed") }
    ])
  }
)

live("reading a file tells how much of it was read, and that of a pipe is not known", function* () {
  const file = join(yield* folder, "pets.ndjson")
  const text = '{"name":"Rex","categoryId":1}\n'.repeat(30_000)
  writeFileSync(file, text)
  const partsOf = (file: string, stdin: Readable) =>
    Effect.gen(function* () {
      const parts: Array<number | undefined> = []
      const onRead = (part: number | undefined) => parts.push(part)
      yield* Stream.runDrain(PetFile.read(file, formats.ndjson, { stdin }, onRead))
      return parts
    })
  const parts = yield* partsOf(file, process.stdin)
  expect(parts.length).toBeGreaterThan(1)
  expect(parts).toEqual(parts.toSorted((a = 0, b = 0) => a - b))
  expect(new Set(parts).size).toBe(parts.length)
  expect(parts.at(-1)).toBe(1)
  expect(yield* partsOf(PetFile.pipe, Readable.from([Buffer.from(text)]))).toEqual([undefined])
  const fifo = join(yield* folder, "pets.ndjson")
  execFileSync("mkfifo", [fifo])
  const writing = Effect.promise(() => writeFile(fifo, text))
  const [read] = yield* Effect.zip(partsOf(fifo, process.stdin), writing, { concurrent: true })
  expect([...new Set(read)]).toEqual([undefined])
})

/** Calls back before each file or folder is synced, while the scope is open. */
const watchSyncs = (onSync: (handle: FileHandle) => Promise<unknown>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const handle = await open(import.meta.filename)
      await handle.close()
      const prototype: Pick<FileHandle, "sync"> = Object.getPrototypeOf(handle)
      const { sync } = prototype
      prototype.sync = async function (this: FileHandle) {
        await onSync(this)
        return sync.call(this)
      }
      return () => Object.assign(prototype, { sync })
    }),
    (unwatch) => Effect.sync(unwatch)
  )

live("a file has all that was written, and is synced before and after it is named", function* () {
  const path = yield* folder
  const file = join(path, "pets.ndjson")
  const synced: Array<unknown> = []
  yield* watchSyncs(async (handle) => {
    const { ino } = await handle.stat()
    synced.push({ ino, isNamed: existsSync(file) })
  })
  const pieces = Array.from("abc", (letter) => letter.repeat(100_000))
  const output = yield* PetFile.create(file)
  yield* Effect.forEach(pieces, output.write).pipe(
    Effect.zipRight(output.finish),
    Effect.provideService(Terminal.Terminal, Terminal.current)
  )
  expect(readFileSync(file, "utf8") === pieces.join("")).toBe(true)
  expect(synced).toEqual([
    { ino: statSync(file).ino, isNamed: false },
    { ino: statSync(path).ino, isNamed: true }
  ])
})

live(
  "what is being written when it is interrupted is written before the file is removed",
  function* () {
    const path = yield* folder
    const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const order: Array<string> = []
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        replaceCall("appendFile", (original) => async (...values) => {
          // Not that of another test.
          if (!String(values[0]).startsWith(path)) return original(...values)
          await Effect.runPromise(Deferred.succeed(begun, undefined))
          await Effect.runPromise(Deferred.await(gate))
          await original(...values)
          return order.push("written")
        })
      ),
      (restore) => Effect.sync(restore)
    )
    const writing = yield* PetFile.create(join(path, "pets.ndjson")).pipe(
      Effect.flatMap(({ write }) => write("text")),
      Effect.scoped,
      Effect.ensuring(Effect.sync(() => order.push("removed"))),
      Effect.provideService(Terminal.Terminal, Terminal.current),
      Effect.fork
    )
    yield* Deferred.await(begun)
    const interrupting = yield* Effect.fork(Fiber.interrupt(writing))
    for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => stat(path))
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(interrupting)
    expect(order).toEqual(["written", "removed"])
    expect(readdirSync(path)).toEqual([])
  }
)
