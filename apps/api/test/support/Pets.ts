/** Pets for tests, as lines of a file. */

import { once } from "node:events"
import { createWriteStream } from "node:fs"

/** NDJSON lines without ids. */
export const lines = (count: number, name = "pet"): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ name: `${name} ${index + 1}`, categoryId: index % 9 })
  ).join("\n") + (count > 0 ? "\n" : "")

const statuses = ["available", "pending", "sold"]

/** Writes a file of pets without holding them all in memory. */
export const writeFile = async (file: string, count: number, name = "pet"): Promise<void> => {
  const output = createWriteStream(file)
  for (let from = 1; from <= count; from += 10_000) {
    const ids = Array.from({ length: Math.min(10_000, count - from + 1) }, (_, at) => from + at)
    const text = ids.map((id) =>
      JSON.stringify({ name: `${name} ${id}`, categoryId: id % 1000, status: statuses[id % 3] })
    )
    if (!output.write(`${text.join("\n")}\n`)) await once(output, "drain")
  }
  output.end()
  await once(output, "close")
}

/** Names that terminals, tables and parsers can mishandle. */
export const oddNames: ReadonlyArray<string> = [
  'said "woof"',
  "comma, comma",
  "two\nlines",
  "carriage\rreturn",
  "both\r\nends\r\n",
  "\r",
  " leading and trailing ",
  "\u{1F415}\u200d\u{1F9BA} 犬",
  "=1+1",
  "\ufeffmarked",
  '"',
  '""",\n"',
  "tab\tbed",
  "\u001b[2J\u001b]0;title\u0007",
  "\u2028\u2029\u0085",
  "null",
  "id,name,categoryId,status",
  "-",
  "\\u{9}"
]
