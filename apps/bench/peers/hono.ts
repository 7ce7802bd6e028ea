/** Hono on its Node adapter, with its own validators. */
import { serve } from "@hono/node-server"
import { Hono, type MiddlewareHandler } from "hono"
import { HTTPException } from "hono/http-exception"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { validator } from "hono/validator"
import {
  ApiError,
  hostname,
  internalError,
  isAuthorized,
  malformedJson,
  nextLink,
  notFound,
  onStop,
  petNotFound,
  port,
  single,
  toAfter,
  toLimit,
  toNewPet,
  toPetId,
  toStatus,
  unauthorized
} from "./common.ts"
import * as store from "./store.ts"

const app = new Hono()

app.use("/v1/*", (c, next) => {
  if (!isAuthorized(c.req.header("authorization"))) throw unauthorized()
  return next()
})

app.get(
  "/v1/pets",
  validator("query", ({ limit, status, cursor }) => ({
    limit: toLimit(single(limit)),
    status: toStatus(single(status)),
    after: toAfter(single(cursor))
  })),
  (c) => {
    const { limit, status, after } = c.req.valid("query")
    const page = store.list(limit, status, after)
    if (page.next !== undefined) c.header("Link", nextLink(page.next, limit, status))
    return c.json(page.pets)
  }
)

/** Hono's own `bodyLimit` looks at the body's stream, which alone doubles the cost of a create. */
const limitBody: MiddlewareHandler = (c, next) => {
  if (Number(c.req.header("content-length") ?? Number.POSITIVE_INFINITY) > 64 * 1024) {
    throw new ApiError(413, "payload_too_large", "the body is too large or of unknown size")
  }
  return next()
}

app.post(
  "/v1/pets",
  limitBody,
  validator("json", (body) => toNewPet(body)),
  (c) => c.json(store.add(c.req.valid("json")), 201)
)

app.get("/v1/pets/:petId", (c) => {
  const pet = store.get(toPetId(c.req.param("petId")))
  if (pet === undefined) throw petNotFound()
  return c.json(pet)
})

app.notFound((c) => c.json(notFound().toJSON(), 404))
app.onError((error, c) => {
  const failure = toApiError(error)
  return c.json(failure.toJSON(), failure.status as ContentfulStatusCode)
})
const toApiError = (error: Error) => {
  if (error instanceof ApiError) return error
  if (error instanceof HTTPException && error.status < 500) return malformedJson()
  return internalError()
}

serve({ fetch: app.fetch, hostname, port })
onStop(store.close)
