/** Fastify 5 on better-sqlite3, whose calls are synchronous. */
import { createHash } from "node:crypto"
import {
  hostname,
  type NewPet,
  nextLink,
  onStop,
  petNotFound,
  port,
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

// As the service answers this work, whose operation is deprecated.
if (process.env["HEADERS"] === "as ours") {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!request.url.startsWith("/v1/pets/")) return done(null, payload)
    reply.headers({
      "x-request-id": request.id,
      "x-content-type-options": "nosniff",
      etag: `W/"${createHash("sha256").update(String(payload)).digest("base64url")}"`,
      deprecation: "@1794614400",
      sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
      link: '</v1/pets>; rel="successor-version"'
    })
    done(null, payload)
  })
}

await app.listen({ host: hostname, port })
onStop(store.close)
