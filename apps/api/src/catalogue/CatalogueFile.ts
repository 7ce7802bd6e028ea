/** Files of animals, read and written a piece at a time. */
import { accessSync, constants, createReadStream, existsSync, statSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type { Arrival } from "@petstore/domain/PetStore"
import * as NewFile from "@petstore/store-sqlite/NewFile"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CommandFailed } from "../CommandFailed.ts"
import * as StandardOutput from "../StandardOutput.ts"
import type { BadLine, Format } from "./Format.ts"
import * as Lines from "./Lines.ts"

/** The name that stands for the pipe. */
export const pipe = "-"

const pieceBytes = 262_144

/** Fails when there is no such file, before anything else is done because of it. */
export const check = (file: string): Effect.Effect<void, CommandFailed> =>
  file === pipe
    ? Effect.void
    : Effect.try({
        try: () => accessSync(file, constants.R_OK),
        catch: (cause) => unusable(file, "read", cause)
      })

/** Every record of a file; `onRead` is told what part of it has been read, where that is known. */
export const read = (
  file: string,
  format: Format,
  onRead: (part: number | undefined) => void
): Stream.Stream<Arrival | BadLine, CommandFailed> =>
  Stream.suspend(() => {
    const lines = Lines.make()
    const reader = format.read()
    const size = file === pipe ? undefined : statSync(file, { throwIfNoEntry: false })?.size
    let bytes = 0
    const recordsOf = (lines: ReadonlyArray<Lines.Line>) =>
      lines.flatMap((line) => reader.push(line) ?? [])

    return NodeStream.fromReadable<CommandFailed, Uint8Array>(
      () => (file === pipe ? process.stdin : createReadStream(file, { highWaterMark: pieceBytes })),
      (cause) => unusable(file, "read", cause)
    ).pipe(
      Stream.mapConcatChunk((piece) => {
        bytes += piece.length
        onRead(size && bytes / size)
        return Chunk.unsafeFromArray(recordsOf(lines.push(piece)))
      }),
      Stream.concat(
        Stream.suspend(() =>
          Stream.fromIterable([...recordsOf(lines.end()), reader.end()]).pipe(
            Stream.filter((record) => record !== undefined)
          )
        )
      )
    )
  })

/** A file while it is written. */
export interface Output {
  /** Writes a text behind what was written before. */
  readonly write: (text: string) => Effect.Effect<void, CommandFailed>
  /** Gives the file its name once all of it is on disk. Fails if another file has it by now. */
  readonly finish: Effect.Effect<void, CommandFailed>
}

/** Opens the pipe, or a new file that is gone with the scope unless it was finished. */
export const create = (file: string): Effect.Effect<Output, CommandFailed, Scope.Scope> =>
  Effect.gen(function* () {
    if (file === pipe) return { write: StandardOutput.write, finish: Effect.void }
    const exists = new CommandFailed({
      message: `${file} exists already: choose another name`,
      reason: "failed"
    })
    if (existsSync(file)) return yield* exists
    const written = <A>(work: () => Promise<A>) =>
      Effect.tryPromise({ try: work, catch: (cause) => unusable(file, "written", cause) })
    const partial = `${file}.${process.pid}.partial`
    const handle = yield* Effect.acquireRelease(
      written(() => open(partial, "wx")),
      (handle) =>
        Effect.promise(async () => {
          await handle.close()
          await rm(partial, { force: true })
        })
    )
    return {
      write: (text) => written(() => handle.appendFile(text)),
      finish: written(() => NewFile.publish(partial, file)).pipe(
        Effect.filterOrFail(
          (isNew) => isNew,
          () => exists
        ),
        Effect.uninterruptible
      )
    }
  })

const unusable = (file: string, how: string, cause: unknown): CommandFailed =>
  new CommandFailed({
    message: `${file === pipe ? "the pipe" : file} cannot be ${how} (${cause instanceof Error ? cause.message : cause})`,
    reason: "failed",
    cause
  })
