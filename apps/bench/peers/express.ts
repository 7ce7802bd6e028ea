/** Express 5, without what this interface does not speak of: no ETag, no X-Powered-By. */
import express, { type ErrorRequestHandler, type RequestHandler } from "express"
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

const app = express()
app.disable("x-powered-by")
app.disable("etag")

const authenticate: RequestHandler = (request, _response, next) => {
  if (!isAuthorized(request.headers.authorization)) throw unauthorized()
  next()
}

const pets = express.Router()
pets.use(authenticate)

pets.get("/", (request, response) => {
  const { limit: asked, status: filter, cursor } = request.query
  const limit = toLimit(single(asked))
  const status = toStatus(single(filter))
  const page = store.list(limit, status, toAfter(single(cursor)))
  if (page.next !== undefined) response.set("Link", nextLink(page.next, limit, status))
  response.json(page.pets)
})

pets.post("/", express.json({ limit: "64kb" }), (request, response) => {
  response.status(201).json(store.add(toNewPet(request.body)))
})

pets.get("/:petId", (request, response) => {
  const pet = store.get(toPetId(request.params.petId))
  if (pet === undefined) throw petNotFound()
  response.json(pet)
})

const onFailure: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const failure = toApiError(error)
  response.status(failure.status).json(failure)
}
const toApiError = (error: unknown) => {
  if (error instanceof ApiError) return error
  return (error as { status?: number }).status === 400 ? malformedJson() : internalError()
}

app.use("/v1/pets", pets)
app.use(() => {
  throw notFound()
})
app.use(onFailure)

app.listen(port, hostname)
onStop(store.close)
