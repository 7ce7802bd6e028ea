/** The output of a worker, as lines. */
import type { Readable } from "node:stream"
import type { WriteLines } from "../observe/LogOutput.ts"

const newline = 10

/** Passes on whole lines only, so that those of two sources do not mix. Reads until the source ends. */
export const forwardLines = (source: Readable, write: WriteLines): void => {
  /** The beginning of a line. */
  let parts: Array<Buffer> = []
  source.on("data", (chunk: Buffer) => {
    const end = chunk.lastIndexOf(newline) + 1
    if (end > 0) {
      write(Buffer.concat([...parts, chunk.subarray(0, end)]))
      parts = []
    }
    if (end < chunk.length) parts.push(chunk.subarray(end))
  })
  source.once("close", () => {
    if (parts.length > 0) write(Buffer.concat([...parts, Buffer.of(newline)]))
  })
}
