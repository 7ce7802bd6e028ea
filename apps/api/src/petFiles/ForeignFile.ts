/** Files that are not text in UTF-8, recognised by their first bytes. */

const kinds = {
  "\x1f\x8b": "is compressed: unpack it first, such as with gunzip",
  "PK\x03\x04": "is a spreadsheet or another ZIP file: save it as CSV in UTF-8",
  "\xff\xfe": "is in UTF-16: save it in UTF-8",
  "\xfe\xff": "is in UTF-16: save it in UTF-8",
  "SQLite format 3": "is a database: restore it with petstore restore, or export pets from it"
}

/** What a file is instead, and what to do about it, if it starts with these bytes. */
export const problemOf = (bytes: Uint8Array): string | undefined => {
  const start = Buffer.from(bytes.subarray(0, 20)).toString("latin1")
  return Object.entries(kinds).find(([mark]) => start.startsWith(mark))?.[1]
}
