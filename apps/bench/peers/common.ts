/** What every peer does alike, so that the comparison is about frameworks: rules and SQL. */
import { hash, timingSafeEqual } from "node:crypto"

export const statuses = ["available", "pending", "sold"] as const
export type PetStatus = (typeof statuses)[number]

export interface NewPet {
  readonly name: string
  readonly categoryId: number
  readonly status?: PetStatus | undefined
}
export interface Pet extends NewPet {
  readonly id: number
}
export interface PetRow {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: PetStatus | null
}

/** A pet without a status has no such field, rather than a null. */
export const toPet = (row: PetRow): Pet =>
  row.status === null
    ? { id: row.id, name: row.name, categoryId: row.categoryId }
    : (row as PetRow & { status: PetStatus })

const columns = "id, name, category_id AS categoryId, status"
export const sql = {
  pragmas: ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"],
  schema: [
    `CREATE TABLE IF NOT EXISTS pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      category_id INTEGER NOT NULL,
      status TEXT
    ) STRICT`,
    "CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id)"
  ],
  get: `SELECT ${columns} FROM pets WHERE id = ?`,
  list: `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  add: "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)"
}

export interface Page {
  readonly pets: ReadonlyArray<Pet>
  /** The id that the next page comes after, when there is a next page. */
  readonly next: number | undefined
}

/** One row more than was asked for tells whether there is a next page. */
export const toPage = (rows: ReadonlyArray<PetRow>, limit: number): Page => {
  const pets = (rows.length > limit ? rows.slice(0, limit) : rows).map(toPet)
  return { pets, next: rows.length > limit ? pets.at(-1)?.id : undefined }
}

/** An answer other than success; its JSON is the interface's Error. */
export class ApiError<Status extends number = number> extends Error {
  readonly status: Status
  readonly code: string
  constructor(status: Status, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
  toJSON() {
    return { code: this.code, message: this.message, status: this.status }
  }
}
export const unauthorized = () => new ApiError(401, "unauthorized", "a valid API key is required")
export const petNotFound = () => new ApiError(404, "pet_not_found", "there is no such pet")
export const notFound = () => new ApiError(404, "not_found", "there is nothing at this path")
export const internalError = () => new ApiError(500, "internal_error", "something went wrong")
export const malformedJson = () => new ApiError(400, "malformed_json", "the body is not JSON")
export const invalidBody = (why: string) => new ApiError(400, "invalid_body", why)
export const invalidParameter = (why: string) => new ApiError(400, "invalid_parameter", why)

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined || value === "") throw new Error(`${name} is not set`)
  return value
}
export const hostname = "127.0.0.1"
export const port = Number(setting("PORT"))
/** The file of SQLite, or the URL of PostgreSQL. */
export const databaseAddress = setting("DATABASE_ADDRESS")
const knownKey = hash("sha256", setting("API_KEY"), "buffer")

export const isKnownKey = (key: string): boolean =>
  timingSafeEqual(hash("sha256", key, "buffer"), knownKey)

const bearer = /^Bearer +(\S+)$/i
export const isAuthorized = (header: string | null | undefined): boolean => {
  const key = bearer.exec(header ?? "")?.[1]
  return key !== undefined && isKnownKey(key)
}

/** A parameter given twice is an array, which no rule accepts. */
export const single = (value: unknown): string | undefined =>
  value === undefined || typeof value === "string" ? value : ""

export const toLimit = (text: string | null | undefined): number => {
  if (text === null || text === undefined) return 20
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > 100) throw invalidParameter("limit must be an integer from 1 to 100")
  return limit
}

const isStatus = (value: unknown): value is PetStatus => statuses.includes(value as PetStatus)
export const toStatus = (text: string | null | undefined): PetStatus | undefined => {
  if (text === null || text === undefined) return undefined
  if (!isStatus(text)) throw invalidParameter(`status must be one of ${statuses.join(", ")}`)
  return text
}

/** The id to list after. A cursor is that id in base64url. */
export const toAfter = (cursor: string | null | undefined): number => {
  if (cursor === null || cursor === undefined) return 0
  const after = Buffer.from(cursor, "base64url").toString("latin1")
  if (!/^[1-9][0-9]{0,15}$/.test(after)) throw invalidParameter("cursor is not one of ours")
  return Number(after)
}
export const nextLink = (next: number, limit: number, status: PetStatus | undefined): string => {
  const filter = status === undefined ? "" : `&status=${status}`
  const cursor = Buffer.from(String(next), "latin1").toString("base64url")
  return `</v1/pets?limit=${limit}${filter}&cursor=${cursor}>; rel="next"`
}

export const toPetId = (text: string): number => {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) throw petNotFound()
  return Number(text)
}

/** Integers that a number cannot hold exactly are refused rather than rounded. */
export const toNewPet = (body: unknown): NewPet => {
  if (typeof body !== "object" || body === null) throw invalidBody("the body must be an object")
  const { name, categoryId, status } = body as Record<string, unknown>
  if (typeof name !== "string" || name === "") throw invalidBody("name must be a non-empty string")
  if (typeof categoryId !== "number" || !Number.isSafeInteger(categoryId)) {
    throw invalidBody("categoryId must be an integer")
  }
  if (status === undefined) return { name, categoryId }
  if (!isStatus(status)) throw invalidBody(`status must be one of ${statuses.join(", ")}`)
  return { name, categoryId, status }
}

export const onStop = (stop: () => void) =>
  process.once("SIGTERM", () => {
    stop()
    process.exit(0)
  })
