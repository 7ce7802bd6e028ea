/** The stock way of Effect 3: an HttpApi, its builder and NodeHttpServer. */
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
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import {
  hostname,
  invalidParameter,
  isKnownKey,
  nextLink,
  petNotFound,
  port,
  toAfter,
  toPetId,
  unauthorized
} from "./common.ts"
import * as store from "./store.ts"

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

const PetsLive = HttpApiBuilder.group(PetStoreApi, "pets", (handlers) =>
  handlers
    .handle("listPets", ({ urlParams: { limit, status, cursor } }) =>
      Effect.gen(function* () {
        const after = yield* Effect.try({
          try: () => toAfter(cursor),
          catch: () => invalidParameter("cursor is not one of ours")
        })
        const { next, pets } = store.list(limit, status, after)
        if (next !== undefined) {
          yield* HttpApp.appendPreResponseHandler((_request, response) =>
            Effect.succeed(
              HttpServerResponse.setHeader(response, "link", nextLink(next, limit, status))
            )
          )
        }
        return pets
      })
    )
    .handle("createPet", ({ payload }) => Effect.sync(() => store.add(payload)))
    .handle("getPet", ({ path }) =>
      Effect.flatMap(
        Effect.try({ try: () => store.get(toPetId(path.petId)), catch: petNotFound }),
        (pet) => (pet === undefined ? Effect.fail(petNotFound()) : Effect.succeed(pet))
      )
    )
)

const AuthenticationLive = Layer.succeed(Authentication, {
  bearer: (key) => (isKnownKey(Redacted.value(key)) ? Effect.void : Effect.fail(unauthorized()))
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

const ApiLive = HttpApiBuilder.api(PetStoreApi).pipe(
  Layer.provide(PetsLive),
  Layer.provide(AuthenticationLive)
)

HttpApiBuilder.serve().pipe(
  Layer.provide(FailuresLive),
  Layer.provide(ApiLive),
  Layer.provide(NodeHttpServer.layer(createServer, { port, host: hostname })),
  Layer.launch,
  NodeRuntime.runMain
)
