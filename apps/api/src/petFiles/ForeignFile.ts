/** Files that are no text in UTF-8, recognised by their first bytes. */

const kinds: ReadonlyArray<{ readonly start: ReadonlyArray<number>; readonly problem: string }> = [
  { start: [0x1f, 0x8b], problem: "is compressed: unpack it first, such as with gunzip" },
  {
    start: [0x50, 0x4b, 0x03, 0x04],
    problem: "is a spreadsheet or another ZIP file: save it as CSV in UTF-8"
  },
  { start: [0xff, 0xfe], problem: "is in UTF-16: save it in UTF-8" },
  { start: [0xfe, 0xff], problem: "is in UTF-16: save it in UTF-8" },
  {
    start: [...Buffer.from("SQLite format 3")],
    problem: "is a database: restore it with petstore restore, or export pets from it"
  }
]

/** What a file is instead, and what to do about it, if it starts with these bytes. */
export const problemOf = (bytes: Uint8Array): string | undefined =>
  kinds.find(({ start }) => start.every((byte, at) => bytes[at] === byte))?.problem
