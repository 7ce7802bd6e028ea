/**
 * Fastify 5 as its documentation advises: a schema for everything that goes in or comes out. The handlers are added
 * for each database.
 */
import { Ajv } from "ajv"
import { fastify } from "fastify"
import {
  ApiError,
  internalError,
  invalidBody,
  invalidParameter,
  isAuthorized,
  malformedJson,
  notFound,
  type PetStatus,
  statuses,
  unauthorized
} from "./common.ts"

const status = { type: "string", enum: statuses }
const int64 = {
  type: "integer",
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER
}
const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: { name: { type: "string", minLength: 1 }, categoryId: int64, status }
}
const pet = {
  type: "object",
  required: ["id", "name", "categoryId"],
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    categoryId: { type: "integer" },
    status: { type: "string" }
  }
}
const listQuery = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "string" }
  }
}
const failure = {
  type: "object",
  required: ["code", "message", "status"],
  properties: {
    code: { type: "string" },
    message: { type: "string" },
    status: { type: "integer" }
  }
}

export interface ListQuery {
  readonly limit: number
  readonly status?: PetStatus
  readonly cursor?: string
}

/** The schemas of each route. */
export const schemas = {
  list: {
    querystring: listQuery,
    response: { 200: { type: "array", items: pet }, "4xx": failure }
  },
  add: { body: newPet, response: { 201: pet, "4xx": failure } },
  get: { response: { 200: pet, "4xx": failure } }
}

export const app = fastify({ bodyLimit: 64 * 1024 })

// A query is text and has to be coerced; a body is JSON and must not be.
const ajv = {
  body: new Ajv({ useDefaults: true }),
  query: new Ajv({ useDefaults: true, coerceTypes: true })
}
app.setValidatorCompiler<object>(({ schema, httpPart }) =>
  ajv[httpPart === "body" ? "body" : "query"].compile(schema)
)

app.addHook("onRequest", (request, _reply, done) => {
  done(isAuthorized(request.headers.authorization) ? undefined : unauthorized())
})

app.setErrorHandler<Error & { validationContext?: string; statusCode?: number }>(
  (error, _request, reply) => {
    const answer = toApiError(error)
    return reply.code(answer.status).send(answer.toJSON())
  }
)
const toApiError = (error: Error & { validationContext?: string; statusCode?: number }) => {
  if (error instanceof ApiError) return error
  if (error.validationContext === "body") return invalidBody(error.message)
  if (error.validationContext !== undefined) return invalidParameter(error.message)
  if (error.statusCode === 400) return malformedJson()
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new ApiError(error.statusCode, "bad_request", error.message)
  }
  return internalError()
}
app.setNotFoundHandler((_request, reply) => reply.code(404).send(notFound().toJSON()))
