/** The lines of a file, read in pieces, in memory for one piece and one line. */
import { largestBody } from "../AppConfig.ts"

/** A line without its line break: a good one, one that is not UTF-8, or one that is too long. */
export type Line =
  | { readonly number: number; readonly text: string }
  // Replacement characters stand for the bad bytes; quotes and commas are where they were.
  | { readonly number: number; readonly text: string; readonly reason: string }
  | { readonly number: number; readonly reason: string }

/** Takes pieces of a file and gives the lines that they complete. */
export interface Lines {
  readonly push: (piece: Uint8Array) => ReadonlyArray<Line>
  /** What is left when the file ends. */
  readonly end: () => ReadonlyArray<Line>
}

/** The longest line that is read, in bytes. Every pet that fits in a body fits: CSV doubles quotes. */
export const longest = 2 * largestBody

/** The same, for messages. */
export const longestText = `${longest / 1024 / 1024} MiB`

const newline = 0x0a
const lossy = new TextDecoder("utf-8", { ignoreBOM: true })
const byteOrderMark = "\ufeff"

/** A reader of one file. */
export const make = (): Lines => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let number = 0
  let waiting: Array<Uint8Array> = []
  let length = 0

  const decode = (bytes: Uint8Array): Line => {
    number++
    if (bytes.length > longest) return { number, reason: `is longer than ${longestText}` }
    try {
      return { number, text: withoutMark(decoder.decode(bytes)) }
    } catch {
      return { number, text: withoutMark(lossy.decode(bytes)), reason: "is not UTF-8" }
    }
  }
  const withoutMark = (text: string) =>
    number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
  /** Many lines are decoded at once; where that fails, each on its own, to find the bad ones. */
  const decodeAll = (bytes: Uint8Array): ReadonlyArray<Line> => {
    if (number > 0 && bytes.length <= longest) {
      try {
        const first = number + 1
        const texts = decoder.decode(bytes).split("\n")
        number += texts.length
        return texts.map((text, index) => ({ number: first + index, text }))
      } catch {
        // One of them is not UTF-8.
      }
    }
    const lines: Array<Line> = []
    let start = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      lines.push(decode(bytes.subarray(start, end)))
      start = end + 1
    }
    lines.push(decode(bytes.subarray(start)))
    return lines
  }
  const take = (last: Uint8Array): Uint8Array => {
    const bytes = waiting.length === 0 ? last : Buffer.concat([...waiting, last])
    waiting = []
    length = 0
    return bytes
  }

  return {
    push: (piece) => {
      const end = piece.lastIndexOf(newline)
      const lines = end < 0 ? [] : decodeAll(take(piece.subarray(0, end)))
      const rest = piece.subarray(end + 1)
      // Of a line that is too long no more is kept than it takes to see that it is.
      if (rest.length > 0 && length <= longest) {
        waiting.push(rest)
        length += rest.length
      }
      return lines
    },
    end: () => (length > 0 ? decodeAll(take(new Uint8Array())) : [])
  }
}
