/** The stock way of Effect 4: an HttpApi, its builder and NodeHttpServer. */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import {
  ApiError,
  hostname,
  invalidParameter,
  isKnownKey,
  nextLink,
  petNotFound,
  port,
  toAfter,
  toPetId,
  unauthorized
} from "../peers/common.ts"
import * as store from "../peers/store.ts"

const PetStatus = Schema.Literals(["available", "pending", "sold"])
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
  }).annotate({ httpApiStatus: status })
const BadRequest = failure(400)
const Unauthorized = failure(401)
const NotFound = failure(404)

class Authentication extends HttpApiMiddleware.Service<Authentication>()("Authentication", {
  error: Unauthorized,
  security: { bearer: HttpApiSecurity.bearer }
}) {}

class Failures extends HttpApiMiddleware.Service<Failures>()("Failures", { error: BadRequest }) {}

const PetsGroup = HttpApiGroup.make("pets")
  .add(
    HttpApiEndpoint.get("listPets", "/v1/pets", {
      query: {
        limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
        status: Schema.optionalKey(PetStatus),
        cursor: Schema.optionalKey(Schema.String)
      },
      success: HttpApiSchema.WithHeaders(Schema.Array(Pet), {
        link: Schema.optionalKey(Schema.String)
      }),
      error: BadRequest
    }),
    HttpApiEndpoint.post("createPet", "/v1/pets", {
      payload: NewPet,
      success: Pet.annotate({ httpApiStatus: 201 }),
      error: BadRequest
    }),
    HttpApiEndpoint.get("getPet", "/v1/pets/:petId", {
      params: { petId: Schema.String },
      success: Pet,
      error: NotFound
    })
  )
  .middleware(Failures)
  .middleware(Authentication)

const PetStoreApi = HttpApi.make("petstore").add(PetsGroup)

const PetsLive = HttpApiBuilder.group(PetStoreApi, "pets", (handlers) =>
  handlers
    .handle("listPets", ({ query: { cursor, limit = 20, status } }) =>
      Effect.map(
        Effect.try({
          try: () => toAfter(cursor),
          catch: () => invalidParameter("cursor is not one of ours")
        }),
        (after) => {
          const { next, pets } = store.list(limit, status, after)
          const headers = next === undefined ? {} : { link: nextLink(next, limit, status) }
          return HttpApiSchema.withHeaders({ body: pets, headers })
        }
      )
    )
    .handle("createPet", ({ payload }) => Effect.sync(() => store.add(payload)))
    .handle("getPet", ({ params }) =>
      Effect.flatMap(
        Effect.try({ try: () => store.get(toPetId(params.petId)), catch: petNotFound }),
        (pet) => (pet === undefined ? Effect.fail(petNotFound()) : Effect.succeed(pet))
      )
    )
)

const AuthenticationLive = Layer.succeed(Authentication, {
  bearer: (response, { credential }) =>
    isKnownKey(Redacted.value(credential)) ? response : Effect.fail(unauthorized())
})

/** The builder's own failures have no body, so they are told here in the interface's. */
const FailuresLive = HttpApiMiddleware.layerSchemaErrorTransform(Failures, ({ cause }) =>
  Effect.fail(new ApiError(400, "invalid_request", cause.message))
)

const ApiLive = HttpApiBuilder.layer(PetStoreApi).pipe(
  Layer.provide(PetsLive),
  Layer.provide([AuthenticationLive, FailuresLive])
)

HttpRouter.serve(ApiLive, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(NodeHttpServer.layer(createServer, { port, host: hostname })),
  Layer.launch,
  NodeRuntime.runMain
)
