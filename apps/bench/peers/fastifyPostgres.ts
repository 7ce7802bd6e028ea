/** Fastify 5 on PostgreSQL through pg: a pool, and a named statement for each request. */
import pg from "pg"
import {
  databaseAddress,
  hostname,
  type NewPet,
  nextLink,
  type PetRow,
  petNotFound,
  port,
  toAfter,
  toPage,
  toPet,
  toPetId
} from "./common.ts"
import { app, type ListQuery, schemas } from "./fastifyApp.ts"

// The driver gives a bigint as text, so that none is rounded. These are small enough.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: databaseAddress, max: 10 })

const columns = `id, name, category_id AS "categoryId", status`
const statements = {
  get: { name: "get", text: `SELECT ${columns} FROM pets WHERE id = $1` },
  list: { name: "list", text: `SELECT ${columns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2` },
  listByStatus: {
    name: "list_by_status",
    text: `SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`
  },
  add: {
    name: "add",
    text: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${columns}`
  }
}
await pool.query(`CREATE TABLE IF NOT EXISTS pets (
  id BIGSERIAL PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  category_id BIGINT NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
)`)
await pool.query("CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id)")

const rowsOf = async (statement: keyof typeof statements, values: ReadonlyArray<unknown>) => {
  const { rows } = await pool.query<PetRow>({ ...statements[statement], values: [...values] })
  return rows
}

app.get<{ Querystring: ListQuery }>(
  "/v1/pets",
  { schema: schemas.list },
  async (request, reply) => {
    const { limit, status, cursor } = request.query
    const after = toAfter(cursor)
    const rows =
      status === undefined
        ? await rowsOf("list", [after, limit + 1])
        : await rowsOf("listByStatus", [status, after, limit + 1])
    const page = toPage(rows, limit)
    if (page.next !== undefined) reply.header("link", nextLink(page.next, limit, status))
    return page.pets
  }
)

app.post<{ Body: NewPet }>("/v1/pets", { schema: schemas.add }, async (request, reply) => {
  const { name, categoryId, status } = request.body
  const [row] = await rowsOf("add", [name, categoryId, status ?? null])
  if (row === undefined) throw new Error("no row came back")
  reply.code(201)
  return toPet(row)
})

app.get<{ Params: { petId: string } }>(
  "/v1/pets/:petId",
  { schema: schemas.get },
  async (request) => {
    const [row] = await rowsOf("get", [toPetId(request.params.petId)])
    if (row === undefined) throw petNotFound()
    return toPet(row)
  }
)

await app.listen({ host: hostname, port })
process.once("SIGTERM", () => pool.end().finally(() => process.exit(0)))
