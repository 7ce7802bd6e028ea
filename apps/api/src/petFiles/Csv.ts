/** Pets as comma-separated values with a header, quoted as in RFC 4180. Also reads semicolons and tabs. */
import { fields, type Pet } from "@petstore/domain/Pet"
import { first, visible } from "../cli/Terminal.ts"
import { type Format, petFrom, type Reader } from "./Format.ts"
import { maxBytes } from "./Lines.ts"

const columns = [{ name: "id" as const, isInteger: true, isOptional: true }, ...fields]
const names = columns.map(({ name }) => name)
const required = columns.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
const optional = names.filter((name) => !required.includes(name))

/** What help says about the columns. */
export const note = `CSV has a header with these columns in any order: ${required.join(", ")}; optional: ${optional.join(", ")}.`

const wanted = `must be a header with the columns ${names.join(", ")}`
const maxFields = 1000

const separators = [",", ";", "\t"]

const quote = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const write = (pet: Pet): string =>
  `${names.map((name) => quote(String(pet[name] ?? ""))).join(",")}\n`

/** A record, possibly incomplete. */
interface Row {
  /** The line where it starts. */
  readonly place: number
  readonly separator: string
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
const separatorOf = (text: string): string | undefined =>
  separators.find((separator) => {
    const row: Row = { place: 1, separator, fields: [] }
    return feed(row, text) === undefined && required.some((column) => row.fields.includes(column))
  })

/** Why a record is not a header, if it is none. */
const headerProblem = (header: ReadonlyArray<string>): string | undefined => {
  const known: ReadonlyArray<string> = names
  const unknown = header.filter((column) => !known.includes(column))
  const problems = {
    missing: required.filter((column) => !header.includes(column)),
    unknown: unknown.map((column) => `"${visible(column.slice(0, 50))}"`),
    duplicate: names.filter((column) => header.indexOf(column) !== header.lastIndexOf(column))
  }
  const found = Object.entries(problems).flatMap(([problem, columns]) =>
    columns.length === 0 ? [] : [`; ${problem}: ${first(columns)}`]
  )
  return found.length === 0 ? undefined : wanted + found.join("")
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
  let separator = ","
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
    const problem = headerProblem(fields)
    if (problem !== undefined) return refuse(place, problem)
    header = fields
    return undefined
  }

  return {
    push: (line) => {
      // A line without text may open or close a quote.
      if (!("text" in line)) return refuse(line.number, line.reason, true)
      if (row === undefined && (line.text === "" || line.text === "\r")) return undefined
      if (header === undefined && row === undefined) {
        separator = separatorOf(line.text) ?? ","
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
