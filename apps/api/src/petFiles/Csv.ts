/** Pets as comma-separated values with a header, quoted as in RFC 4180. Also reads semicolons and tabs. */
import { fields, type Pet } from "@petstore/domain/Pet"
import * as Struct from "effect/Struct"
import { first, listOf, visible } from "../cli/Terminal.ts"
import { type Format, petFrom, type Reader } from "./Format.ts"
import { maxBytes } from "./Lines.ts"

const columns = [{ name: "id" as const, isInteger: true, isOptional: true }, ...fields]
const names = columns.map(({ name }) => name)
const required = columns.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
const optional = names.filter((name) => !required.includes(name))

/** What help says about spreadsheets that open an export. */
export const formulas =
  "In CSV, a name that begins with = is a formula for a spreadsheet: open it as text there."

/** What help says about the columns. */
export const note = `CSV has a header with the columns ${required.join(", ")} and, perhaps, ${listOf(optional, "and")}, in any order.`

const wanted = `must be a header with the columns ${names.join(", ")}`
const maxFields = 1000

/** The separators of fields, and what they are called. */
const separators = { ",": "commas", ";": "semicolons", "\t": "tabs" } as const
type Separator = keyof typeof separators

const quote = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const write = (pet: Pet): string =>
  `${names.map((name) => quote(String(pet[name] ?? ""))).join(",")}\n`

/** A record, possibly incomplete. */
interface Row {
  /** The line where it starts. */
  readonly place: number
  readonly separator: Separator
  readonly fields: Array<string>
  /** The text so far of a quoted field that is still open. */
  open?: string | undefined
  reason?: string | undefined
}

/** Adds a line to a record. Returns the problem, if there is one. */
const feed = (row: Row, text: string): string | undefined => {
  const end = text.length - (text.endsWith("\r") ? 1 : 0)
  for (let at = 0; at <= end; at++) {
    if (row.open === undefined) {
      if (row.fields.length === maxFields) return `has more than ${maxFields} fields`
      if (text[at] !== '"') {
        const next = text.indexOf(row.separator, at)
        const field = text.slice(at, next < 0 ? end : next)
        if (field.includes('"')) return "has a quote inside an unquoted field"
        row.fields.push(field)
        at += field.length
        continue
      }
      row.open = ""
      at++
    }
    const quote = text.indexOf('"', at)
    if (quote < 0) {
      row.open += `${text.slice(at)}\n`
      return undefined
    }
    const isDoubled = text[quote + 1] === '"'
    row.open += text.slice(at, isDoubled ? quote + 1 : quote)
    at = quote + 1
    if (isDoubled) continue
    row.fields.push(row.open)
    row.open = undefined
    if (at < end && text[at] !== row.separator) return "has text after a closing quote"
  }
  return undefined
}

/** The separator of a header, perhaps an invalid one: with it, the line has a required column. */
export const separatorOf = (text: string): Separator | undefined =>
  Struct.keys(separators).find((separator) => {
    const row: Row = { place: 1, separator, fields: [] }
    return feed(row, text) === undefined && required.some((column) => row.fields.includes(column))
  })

/** Why a record is not a header, or what to note about it, if anything. */
const examine = (header: ReadonlyArray<string>, separator: Separator) => {
  const known: ReadonlyArray<string> = names
  const others = header.filter((column) => !known.includes(column))
  const unknown = first(others.map((column) => `"${visible(column.slice(0, 50))}"`))
  const missing = required.filter((column) => !header.includes(column))
  if (missing.length > 0) {
    const also = unknown === "" ? "" : `; unknown: ${unknown}`
    return { reason: `${wanted}; missing: ${missing.join(", ")}${also}` }
  }
  const repeated = names.filter((column) => header.indexOf(column) !== header.lastIndexOf(column))
  if (repeated.length > 0) return { reason: `has duplicate columns: ${repeated.join(", ")}` }
  const notes = [
    ...(separator === "," ? [] : [`the fields are separated by ${separators[separator]}`]),
    ...(unknown === "" ? [] : [`ignoring unknown columns: ${unknown}`])
  ]
  return notes.length === 0 ? undefined : { note: notes.join("; ") }
}

const integer = (text: string): unknown => (/^-?[0-9]{1,30}$/.test(text) ? BigInt(text) : text)

/** The fields of a pet by name; empty fields are omitted. */
const fieldsOf = (header: ReadonlyArray<string>, fields: ReadonlyArray<string>): unknown => {
  const pet: Record<string, unknown> = {}
  for (const { isInteger, name } of columns) {
    const text = fields[header.indexOf(name)]
    if (text) pet[name] = isInteger ? integer(text) : text
  }
  return pet
}

const read = (): Reader => {
  let header: ReadonlyArray<string> | undefined
  let separator: Separator = ","
  let row: Row | undefined

  // Fatal without a valid header, or once the structure is lost.
  const refuse = (place: number, reason: string, isFatal = header === undefined) => ({
    place,
    reason,
    ...(isFatal && { isFatal })
  })
  const complete = ({ fields, place, reason }: Row) => {
    if (reason !== undefined) return refuse(place, reason)
    if (header !== undefined) {
      return fields.length === header.length
        ? petFrom(place, fieldsOf(header, fields))
        : refuse(place, `has ${fields.length} fields, but the header has ${header.length}`)
    }
    const found = examine(fields, separator)
    if (found?.reason !== undefined) return refuse(place, found.reason)
    header = fields
    return found && { place, note: found.note }
  }

  return {
    push: (line) => {
      // A line without text may open or close a quote.
      if (!("text" in line)) return refuse(line.number, line.reason, true)
      if (row === undefined && (line.text === "" || line.text === "\r")) return undefined
      if (header === undefined && row === undefined) {
        separator = separatorOf(line.text) ?? ","
        if (line.text.startsWith("{")) {
          return refuse(line.number, "looks like NDJSON: add --format ndjson")
        }
      }
      const current: Row = row ?? { place: line.number, separator, fields: [] }
      if ("reason" in line) current.reason = line.reason
      const problem = feed(current, line.text)
      current.reason ??= problem
      row = current.open === undefined ? undefined : current
      if (current.open === undefined) return complete(current)
      return current.open.length > maxBytes
        ? refuse(current.place, "has a quote that is not closed within 1 MiB", true)
        : undefined
    },
    end: () => {
      if (row !== undefined) return refuse(row.place, "has a quote that is never closed", true)
      return header === undefined ? refuse(1, wanted) : undefined
    }
  }
}

export const format: Format = { header: `${names.join(",")}\n`, write, read }
