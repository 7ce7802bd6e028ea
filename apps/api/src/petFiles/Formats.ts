/** The file formats, and which one to use for a file. */
import { Pet } from "@petstore/domain/Pet"
import * as Json from "@petstore/http-transport/Json"
import * as JsonEncoder from "@petstore/http-transport/JsonEncoder"
import * as Either from "effect/Either"
import { invalid } from "../cli/CommandFailed.ts"
import * as Csv from "./Csv.ts"
import { type Format, petFrom } from "./Format.ts"

const encode = JsonEncoder.make(Pet)

/** One JSON object per line, as in the HTTP interface. Empty lines are skipped. */
const ndjson: Format = {
  header: "",
  write: (pet) => `${encode(pet)}\n`,
  read: () => {
    let isFirst = true
    return {
      push: (line) => {
        const place = line.number
        if ("reason" in line) return { place, reason: line.reason }
        if (line.text.trim() === "") return undefined
        const reason = isFirst ? otherFormat(line.text) : undefined
        isFirst = false
        if (reason !== undefined) return { place, reason, isFatal: true }
        const json = Json.parse(line.text)
        return Either.isLeft(json)
          ? { place, reason: `is not JSON: ${json.left.message}` }
          : petFrom(place, json.right)
      },
      end: () => undefined
    }
  }
}

/** What to do about a file whose first line shows that it is not NDJSON. */
const otherFormat = (first: string): string | undefined => {
  if (Csv.separatorOf(first) !== undefined) return "looks like CSV: add --format csv"
  if (first.startsWith("[")) {
    return "is a JSON array: write one pet per line, such as with jq -c '.[]'"
  }
  return first.trim() === "{"
    ? "is JSON of several lines: write one pet per line, such as with jq -c ."
    : undefined
}

export const formats = { ndjson, csv: Csv.format } as const
export const names = ["ndjson", "csv"] as const

const files = { ndjson: /^-$|\.(?:ndjson|jsonl)$/i, csv: /\.csv$/i } as const

/** The requested format, or the one for the file's extension; NDJSON for pipes. */
export const choose = (asked: keyof typeof formats | undefined, file: string) => {
  const name = asked ?? names.find((name) => files[name].test(file))
  return Either.fromNullable(name && formats[name], () =>
    invalid(`cannot tell the format of ${file} from its name: add --format ${names.join(" or ")}`)
  )
}
