/** Where the log goes. A log that is not read takes a bounded amount of memory. */
import type { Writable } from "node:stream"

/** How much may wait to be read. */
const maxUnread = 4 * 1024 * 1024

/**
 * Writes whole lines. Once too much waits, drops lines until all of it was read. Then `describe` makes the line that says
 * how many are missing at this place.
 */
export const make = (target: Writable, describe: (dropped: number) => string) => {
  let dropped = 0
  const report = () => {
    if (dropped === 0) return
    const line = describe(dropped)
    dropped = 0
    target.write(line)
  }
  // A target that fails, such as a closed pipe, never drains. What is written is lost then.
  target.on("drain", report).on("error", report)
  return (lines: string): void => {
    if (dropped > 0 || target.writableLength > maxUnread) dropped += countOf(lines)
    else target.write(lines)
  }
}

const countOf = (lines: string): number => lines.split("\n").length - 1
