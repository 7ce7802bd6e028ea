/** Files of pets, read and written in chunks. */
import * as Fs from "node:fs"
import { appendFile } from "node:fs/promises"
import { Socket } from "node:net"
import { isatty, ReadStream } from "node:tty"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as PartialFile from "@petstore/store-sqlite/PartialFile"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import { type CommandFailed, failed } from "../cli/CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"
import type { Format } from "./Format.ts"
import * as Lines from "./Lines.ts"

/** The file name for standard input or output. */
export const pipe = "-"

const pieceBytes = 262_144

/** Fails if the file cannot be read, before anything else happens. */
export const check = (file: string) =>
  Effect.try({
    try: () => {
      if (file === pipe) return
      Fs.accessSync(file, Fs.constants.R_OK)
      if (Fs.statSync(file).isDirectory()) throw new Error("it is a folder")
    },
    catch: (cause) => unusable(file, "read", cause)
  })

/** Waiting for a FIFO or a terminal must not block a thread, which could not be interrupted. */
const openToRead = (file: string) => {
  const fd = Fs.openSync(file, Fs.constants.O_RDONLY | Fs.constants.O_NONBLOCK)
  if (isatty(fd)) return new ReadStream(fd)
  return Fs.fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true })
    : Fs.createReadStream(file, { fd, highWaterMark: pieceBytes })
}

/** All records of a file. Calls `onRead` with the fraction read, if the size is known. */
export const read = (
  file: string,
  format: Format,
  terminal: Pick<Terminal.Terminal["Type"], "stdin">,
  onRead: (part: number | undefined) => void
) =>
  Stream.suspend(() => {
    const lines = Lines.make()
    const reader = format.read()
    const size = file === pipe ? undefined : Fs.statSync(file, { throwIfNoEntry: false })?.size
    let bytes = 0
    const recordsOf = (lines: ReadonlyArray<Lines.Line>) =>
      lines.flatMap((line) => reader.push(line) ?? [])

    const opened = Effect.try({
      try: () => (file === pipe ? terminal.stdin : openToRead(file)),
      catch: (cause) => unusable(file, "read", cause)
    })
    return Effect.map(opened, (readable) =>
      NodeStream.fromReadable<CommandFailed, Uint8Array>(
        () => readable,
        (cause) => unusable(file, "read", cause)
      )
    ).pipe(
      Stream.unwrap,
      Stream.mapConcatChunk((piece) => {
        bytes += piece.length
        onRead(size ? bytes / size : undefined)
        return Chunk.unsafeFromArray(recordsOf(lines.push(piece)))
      }),
      Stream.concat(
        Stream.suspend(() =>
          Stream.fromIterable([...recordsOf(lines.end()), reader.end() ?? []].flat())
        )
      ),
      Stream.takeUntil((record) => "isFatal" in record)
    )
  })

/** Opens standard output, or a new file, readable by its owner only, that is removed with the scope unless finished. */
export const create = Effect.fnUntraced(function* (file: string) {
  if (file === pipe) return { write: Terminal.write, finish: Effect.void }
  const exists = failed(`${file} exists already: choose another name`)
  if (Fs.existsSync(file)) return yield* exists
  const onFailure = (cause: unknown) => unusable(file, "written", cause)
  /** What was begun is completed, before the file is removed. */
  const written = <A>(work: () => Promise<A>) =>
    Effect.uninterruptible(Effect.tryPromise({ try: work, catch: onFailure }))
  const partial = yield* PartialFile.make(file, onFailure)
  return {
    write: (text: string) => written(() => appendFile(partial, text)),
    /** Gives the file its name. Fails if another file has taken it. */
    finish: Effect.filterOrFail(
      written(() => PartialFile.publish(partial, file)),
      identity,
      () => exists
    )
  }
})

const nameOf = (file: string): string => (file === pipe ? "standard input" : file)

const unusable = (file: string, how: "read" | "written", cause: unknown): CommandFailed => {
  const why = cause instanceof Error ? cause.message : String(cause)
  return failed(`${nameOf(file)} cannot be ${how}: ${why}`, cause)
}
