/** Fastify 5 on better-sqlite3, whose calls are synchronous. */
import {
  hostname,
  type NewPet,
  nextLink,
  onStop,
  petNotFound,
  port,
  ready,
  toAfter,
  toPetId
} from "./common.ts"
import { app, type ListQuery, schemas } from "./fastifyApp.ts"
import * as store from "./store.ts"

app.get<{ Querystring: ListQuery }>("/v1/pets", { schema: schemas.list }, (request, reply) => {
  const { limit, status, cursor } = request.query
  const page = store.list(limit, status, toAfter(cursor))
  if (page.next !== undefined) reply.header("link", nextLink(page.next, limit, status))
  reply.send(page.pets)
})

app.post<{ Body: NewPet }>("/v1/pets", { schema: schemas.add }, (request, reply) => {
  reply.code(201).send(store.add(request.body))
})

app.get<{ Params: { petId: string } }>(
  "/v1/pets/:petId",
  { schema: schemas.get },
  (request, reply) => {
    const found = store.get(toPetId(request.params.petId))
    if (found === undefined) throw petNotFound()
    reply.send(found)
  }
)

await app.listen({ host: hostname, port })
ready()
onStop(store.close)
