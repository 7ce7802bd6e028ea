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
  read: () => ({
    push: (line) => {
      const place = line.number
      if ("reason" in line) return { place, reason: line.reason }
      if (line.text.trim() === "") return undefined
      const json = Json.parse(line.text)
      return Either.isLeft(json)
        ? { place, reason: `is not JSON: ${json.left.message}` }
        : petFrom(place, json.right)
    },
    end: () => undefined
  })
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
