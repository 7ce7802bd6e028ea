/** The file formats, and which one to use for a file. */
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

/** The requested format, or the one for the file's extension; NDJSON for pipes. */
export const choose = (
  asked: Option.Option<FormatName>,
  file: string
): Either.Either<Format, string> => {
  const ending = /\.[^./\\]+$/.exec(file)?.[0].toLowerCase() ?? ""
  const name = Option.getOrElse(asked, () => (file === "-" ? "ndjson" : endings[ending]))
  return name === undefined
    ? Either.left(
        `cannot tell the format of ${file} from its name: add --format ${names.join(" or ")}`
      )
    : Either.right(formats[name])
}
