/** Splits a file into lines; holds one chunk and one line in memory. */
import { isUtf8 } from "node:buffer"

/** A line without its line break: valid, not UTF-8, or too long. */
export type Line =
  | { readonly number: number; readonly text: string }
  // Invalid bytes are replaced; quotes and commas keep their positions.
  | { readonly number: number; readonly text: string; readonly reason: string }
  | { readonly number: number; readonly reason: string }

/** Maximum length of a line in bytes. Names have at most 1,000 characters; other columns are ignored. */
export const maxBytes = 1024 * 1024

const newline = 0x0a
const byteOrderMark = "\ufeff"
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A splitter for one file: takes its chunks and returns the lines that they complete. */
export const make = () => {
  let number = 0
  let waiting: Array<Uint8Array> = []
  let length = 0

  const complete = (last: Uint8Array): Line => {
    const isTooLong = length + last.length > maxBytes
    const bytes = waiting.length === 0 ? last : Buffer.concat([...waiting, last])
    waiting = []
    length = 0
    number++
    if (isTooLong) return { number, reason: "is longer than 1 MiB" }
    const decoded = decoder.decode(bytes)
    const text = number === 1 && decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded
    return isUtf8(bytes) ? { number, text } : { number, text, reason: "is not UTF-8" }
  }

  return {
    push: (piece: Uint8Array): ReadonlyArray<Line> => {
      const lines: Array<Line> = []
      let start = 0
      for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
        lines.push(complete(piece.subarray(start, end)))
        start = end + 1
      }
      const rest = piece.subarray(start)
      length += rest.length
      // Of a line that is too long, only its length is kept.
      if (length > maxBytes) waiting = []
      else if (rest.length > 0) waiting.push(rest)
      return lines
    },
    /** The last line, if the file does not end with a line break. */
    end: (): ReadonlyArray<Line> => (length > 0 ? [complete(new Uint8Array())] : [])
  }
}
