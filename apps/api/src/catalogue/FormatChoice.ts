/** Every format of files, and which one a file has. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Csv from "./Csv.ts"
import type { Format } from "./Format.ts"
import * as Ndjson from "./Ndjson.ts"

/** The formats by name. */
export const formats = { ndjson: Ndjson.format, csv: Csv.format } as const

/** The name of a format. */
export type FormatName = keyof typeof formats

/** The names of the formats. */
export const names: ReadonlyArray<FormatName> = ["ndjson", "csv"]

const endings: Readonly<Record<string, FormatName>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv"
}

/** The format that was asked for, or that a file's name tells; a pipe has lines of JSON. */
export const choose = (
  asked: Option.Option<FormatName>,
  file: string
): Either.Either<Format, string> => {
  const ending = /\.[^./\\]+$/.exec(file)?.[0].toLowerCase() ?? ""
  const name = Option.getOrElse(asked, () => (file === "-" ? "ndjson" : endings[ending]))
  return name === undefined
    ? Either.left(`the name of ${file} tells no format: give --format ${names.join(" or ")}`)
    : Either.right(formats[name])
}
