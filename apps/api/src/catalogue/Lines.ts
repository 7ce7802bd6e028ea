/** Splits a file into lines; holds one chunk and one line in memory. */
import { largestBody } from "../AppConfig.ts"

/** A line without its line break: valid, not UTF-8, or too long. */
export type Line =
  | { readonly number: number; readonly text: string }
  // Invalid bytes are replaced; quotes and commas keep their positions.
  | { readonly number: number; readonly text: string; readonly reason: string }
  | { readonly number: number; readonly reason: string }

/** Takes chunks of a file and returns the lines that they complete. */
export interface Lines {
  readonly push: (piece: Uint8Array) => ReadonlyArray<Line>
  /** The last line, if the file does not end with a line break. */
  readonly end: () => ReadonlyArray<Line>
}

/** Maximum length of a line in bytes: twice that of a request body, since CSV doubles quotes. */
export const longest = 2 * largestBody

/** The same, for messages. */
export const longestText = `${longest / 1024 / 1024} MiB`

const newline = 0x0a
const lossy = new TextDecoder("utf-8", { ignoreBOM: true })
const byteOrderMark = "\ufeff"

/** A splitter for one file. */
export const make = (): Lines => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let number = 0
  let waiting: Array<Uint8Array> = []
  let length = 0

  const decode = (bytes: Uint8Array): Line => {
    number++
    if (bytes.length > longest) return { number, reason: `is longer than ${longestText}` }
    try {
      return { number, text: withoutBom(decoder.decode(bytes)) }
    } catch {
      return { number, text: withoutBom(lossy.decode(bytes)), reason: "is not UTF-8" }
    }
  }
  const withoutBom = (text: string) =>
    number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
  /** Decodes many lines at once; if that fails, one by one to find the invalid ones. */
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
      // A line that is too long is kept only as far as needed to detect it.
      if (rest.length > 0 && length <= longest) {
        waiting.push(rest)
        length += rest.length
      }
      return lines
    },
    end: () => (length > 0 ? decodeAll(take(new Uint8Array())) : [])
  }
}
