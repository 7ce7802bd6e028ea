/** Elysia on Bun, with Bun's own server and SQLite. */
/// <reference path="./bun-sqlite.d.ts" />
import { Database } from "bun:sqlite"
import { Elysia, t } from "elysia"
import {
  ApiError,
  databaseAddress,
  hostname,
  internalError,
  invalidBody,
  invalidParameter,
  isAuthorized,
  malformedJson,
  nextLink,
  notFound,
  onStop,
  type PetRow,
  type PetStatus,
  petNotFound,
  port,
  sql,
  toAfter,
  toPage,
  toPet,
  toPetId,
  unauthorized
} from "./common.ts"

const database = new Database(databaseAddress, { create: true, readwrite: true })
for (const statement of [...sql.pragmas, ...sql.schema]) database.run(statement)
const getOne = database.query<PetRow, [number]>(sql.get)
const listAll = database.query<PetRow, [number, number]>(sql.list)
const listSome = database.query<PetRow, [PetStatus, number, number]>(sql.listByStatus)
const insert = database.query<unknown, [string, number, PetStatus | null]>(sql.add)

const petStatus = t.Union([t.Literal("available"), t.Literal("pending"), t.Literal("sold")])
const int64 = t.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

const toApiError = (code: string | number, error: unknown) => {
  if (error instanceof ApiError) return error
  if (code === "PARSE") return malformedJson()
  if (code === "NOT_FOUND") return notFound()
  if (code !== "VALIDATION") return internalError()
  const { type } = error as { readonly type?: string }
  return type === "body"
    ? invalidBody("the body is not a NewPet")
    : invalidParameter("limit must be from 1 to 100 and status one of the three")
}

new Elysia()
  .onError(({ code, error, set }) => {
    const failure = toApiError(code, error)
    set.status = failure.status
    return failure.toJSON()
  })
  .onRequest(({ request, set }) => {
    if (isAuthorized(request.headers.get("authorization"))) return
    set.status = 401
    return unauthorized().toJSON()
  })
  .get(
    "/v1/pets",
    ({ query: { limit, status, cursor }, set }) => {
      const after = toAfter(cursor)
      const rows =
        status === undefined
          ? listAll.all(after, limit + 1)
          : listSome.all(status, after, limit + 1)
      const page = toPage(rows, limit)
      if (page.next !== undefined) set.headers.link = nextLink(page.next, limit, status)
      return page.pets
    },
    {
      query: t.Object({
        limit: t.Integer({ minimum: 1, maximum: 100, default: 20 }),
        status: t.Optional(petStatus),
        cursor: t.Optional(t.String())
      })
    }
  )
  .post(
    "/v1/pets",
    ({ body: { name, categoryId, status }, set }) => {
      const { lastInsertRowid } = insert.run(name, categoryId, status ?? null)
      set.status = 201
      const pet = { id: Number(lastInsertRowid), name, categoryId }
      return status === undefined ? pet : { ...pet, status }
    },
    {
      body: t.Object({
        name: t.String({ minLength: 1 }),
        categoryId: int64,
        status: t.Optional(petStatus)
      })
    }
  )
  .get("/v1/pets/:petId", ({ params }) => {
    const row = getOne.get(toPetId(params.petId))
    if (row === null) throw petNotFound()
    return toPet(row)
  })
  .listen({ hostname, port, maxRequestBodySize: 64 * 1024 })

onStop(() => database.close())
