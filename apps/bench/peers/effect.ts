/** The stock Effect way: an HttpApi, its builder, NodeHttpServer, and SQL through @effect/sql. */
import { createServer } from "node:http"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import {
  databaseAddress,
  hostname,
  isKnownKey,
  nextLink,
  type PetRow,
  port,
  ready,
  sql as sqlText,
  toAfter,
  toPage,
  toPet,
  toPetId
} from "./common.ts"

const PetStatus = Schema.Literal("available", "pending", "sold")
const NewPet = Schema.Struct({
  name: Schema.NonEmptyString,
  categoryId: Schema.Int,
  status: Schema.optional(PetStatus)
})
const Pet = Schema.Struct({ id: Schema.Int, ...NewPet.fields })

const failure = <Status extends number>(status: Status) =>
  Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    status: Schema.Literal(status)
  }).annotations(HttpApiSchema.annotations({ status }))
const BadRequest = failure(400)
const Unauthorized = failure(401)
const NotFound = failure(404)

class Authentication extends HttpApiMiddleware.Tag<Authentication>()("Authentication", {
  failure: Unauthorized,
  security: { bearer: HttpApiSecurity.bearer }
}) {}

const limit = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100))
const petId = HttpApiSchema.param("petId", Schema.String)

const PetsGroup = HttpApiGroup.make("pets")
  .add(
    HttpApiEndpoint.get("listPets", "/v1/pets")
      .setUrlParams(
        Schema.Struct({
          limit: Schema.optionalWith(limit, { default: () => 20 }),
          status: Schema.optional(PetStatus),
          cursor: Schema.optional(Schema.String)
        })
      )
      .addSuccess(Schema.Array(Pet))
      .addError(BadRequest)
  )
  .add(
    HttpApiEndpoint.post("createPet", "/v1/pets")
      .setPayload(NewPet)
      .addSuccess(Pet, { status: 201 })
      .addError(BadRequest)
  )
  .add(HttpApiEndpoint.get("getPet")`/v1/pets/${petId}`.addSuccess(Pet).addError(NotFound))
  .middleware(Authentication)

const PetStoreApi = HttpApi.make("petstore").add(PetsGroup)

class Pets extends Effect.Service<Pets>()("Pets", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of [...sqlText.pragmas, ...sqlText.schema]) yield* sql.unsafe(statement)
    const columns = sql.literal("id, name, category_id AS categoryId, status")
    return {
      list: (limit: number, status: typeof PetStatus.Type | undefined, after: number) =>
        sql<PetRow>`SELECT ${columns} FROM pets WHERE ${sql.and([
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          sql`id > ${after}`
        ])} ORDER BY id LIMIT ${limit + 1}`.pipe(
          Effect.map((rows) => toPage(rows, limit)),
          Effect.orDie
        ),
      get: (id: number) =>
        sql<PetRow>`SELECT ${columns} FROM pets WHERE id = ${id}`.pipe(
          Effect.map((rows) => (rows[0] === undefined ? undefined : toPet(rows[0]))),
          Effect.orDie
        ),
      add: ({ name, categoryId, status }: typeof NewPet.Type) =>
        sql<PetRow>`INSERT INTO pets ${sql.insert({
          name,
          category_id: categoryId,
          status: status ?? null
        })} RETURNING ${columns}`.pipe(
          Effect.flatMap((rows) =>
            rows[0] === undefined ? Effect.dieMessage("no row came back") : Effect.succeed(rows[0])
          ),
          Effect.map(toPet),
          Effect.orDie
        )
    }
  })
}) {}

const petNotFound: typeof NotFound.Type = {
  code: "pet_not_found",
  message: "there is no such pet",
  status: 404
}
const badRequest = (code: string, message: string) => ({ code, message, status: 400 as const })

const PetsLive = HttpApiBuilder.group(PetStoreApi, "pets", (handlers) =>
  Effect.gen(function* () {
    const pets = yield* Pets
    return handlers
      .handle("listPets", ({ urlParams: { limit, status, cursor } }) =>
        Effect.gen(function* () {
          const after = yield* Effect.try({
            try: () => toAfter(cursor),
            catch: () => badRequest("invalid_parameter", "cursor is not one of ours")
          })
          const page = yield* pets.list(limit, status, after)
          const { next } = page
          if (next !== undefined) {
            yield* HttpApp.appendPreResponseHandler((_request, response) =>
              Effect.succeed(
                HttpServerResponse.setHeader(response, "link", nextLink(next, limit, status))
              )
            )
          }
          return page.pets
        })
      )
      .handle("createPet", ({ payload }) => pets.add(payload))
      .handle("getPet", ({ path }) =>
        Effect.try({ try: () => toPetId(path.petId), catch: () => petNotFound }).pipe(
          Effect.flatMap(pets.get),
          Effect.flatMap((pet) =>
            pet === undefined ? Effect.fail(petNotFound) : Effect.succeed(pet)
          )
        )
      )
  })
)

const AuthenticationLive = Layer.succeed(Authentication, {
  bearer: (key) =>
    isKnownKey(Redacted.value(key))
      ? Effect.void
      : Effect.fail({
          code: "unauthorized",
          message: "a valid API key is required",
          status: 401 as const
        })
})

/** The builder's own failures have another body, so they are told here in the interface's. */
const FailuresLive = HttpApiBuilder.middleware((app) =>
  Effect.catchAllCause(app, (cause: Cause.Cause<unknown>) => {
    const error = Cause.squash(cause)
    if (error instanceof HttpApiError.HttpApiDecodeError) {
      return answer(400, "invalid_request", error.message)
    }
    if (error instanceof HttpServerError.RequestError) {
      return answer(400, "malformed_json", "the body is not JSON")
    }
    if (error instanceof HttpServerError.RouteNotFound) {
      return answer(404, "not_found", "there is nothing at this path")
    }
    return Effect.failCause(cause as Cause.Cause<never>)
  })
)
const answer = (status: number, code: string, message: string) =>
  Effect.orDie(HttpServerResponse.json({ code, message, status }, { status }))

/** Says `ready` once the server listens. */
const ReadyLive = Layer.effectDiscard(Effect.zipRight(HttpServer.HttpServer, Effect.sync(ready)))

const ApiLive = HttpApiBuilder.api(PetStoreApi).pipe(
  Layer.provide(PetsLive),
  Layer.provide(AuthenticationLive),
  Layer.provide(Pets.Default),
  Layer.provide(SqliteClient.layer({ filename: databaseAddress }))
)

ReadyLive.pipe(
  Layer.provideMerge(HttpApiBuilder.serve()),
  Layer.provide(FailuresLive),
  Layer.provide(ApiLive),
  Layer.provide(NodeHttpServer.layer(createServer, { port, host: hostname })),
  Layer.launch,
  NodeRuntime.runMain
)
