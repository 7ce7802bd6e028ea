/** One output for the lines of several processes. */
import type { Readable, Writable } from "node:stream"

/** Writes the lines of all sources to one target. */
export interface Output {
  /** Adds a source, until it ends. */
  readonly add: (source: Readable) => void
}

const newline = 10

/**
 * Writes whole lines only, so that those of two sources do not mix. While the target is full, nothing is
 * read, so the sources wait.
 */
export const make = (target: Writable): Output => {
  const sources = new Set<Readable>()
  const resume = () => {
    for (const source of sources) source.resume()
  }
  // A target that fails, such as a closed pipe, never drains. What is written is lost then.
  target.on("drain", resume).on("error", resume)
  const write = (lines: Buffer) => {
    if (lines.length > 0 && !target.write(lines)) for (const source of sources) source.pause()
  }
  return {
    add: (source) => {
      /** The beginning of a line. */
      let parts: Array<Buffer> = []
      sources.add(source)
      source.on("data", (chunk: Buffer) => {
        const end = chunk.lastIndexOf(newline) + 1
        if (end > 0) {
          write(Buffer.concat([...parts, chunk.subarray(0, end)]))
          parts = []
        }
        if (end < chunk.length) parts.push(chunk.subarray(end))
      })
      source.once("close", () => {
        sources.delete(source)
        if (parts.length > 0) write(Buffer.concat([...parts, Buffer.of(newline)]))
      })
    }
  }
}
