/** A contract of the kind that the transport serves. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  Deprecation,
  Examples,
  RequiredScope,
  SuccessHeaders
} from "@petstore/http-transport/Annotations"
import { Authorization } from "@petstore/http-transport/Authorization"
import * as ErrorBody from "@petstore/http-transport/ErrorBody"
import { Int64Text } from "@petstore/http-transport/Int64Text"
import * as Paging from "@petstore/http-transport/Paging"
import { Int64 } from "@petstore/kernel/Int64"
import { Schema } from "effect"

/** The errors that any API has, and one of its own. */
export const errors = ErrorBody.define({
  ...ErrorBody.errors,
  thing_not_found: {
    status: 404,
    meaning: "There is no such thing",
    example: "there is no thing 7"
  }
})

/** What callers add. */
export const NewThing = Schema.Struct({
  name: Schema.String.pipe(Schema.minLength(1, { message: () => "must not be empty" })).annotations(
    { message: () => "must be a string" }
  ),
  count: Int64
}).annotations({ identifier: "NewThing" })

/** What they get. */
export const Thing = Schema.Struct({ id: Int64, ...NewThing.fields }).annotations({
  identifier: "Thing"
})

const limits = { initial: 20, max: 100, items: "things" }

/** A list with a cursor, a create, and something by its id, which is deprecated. */
export class Things extends HttpApiGroup.make("things")
  .add(
    HttpApiEndpoint.get("listThings", "/things")
      .setUrlParams(
        Schema.Struct({
          limit: Paging.limit(Schema.Number, limits),
          cursor: Paging.cursor(Int64)
        })
      )
      .addSuccess(Schema.Array(Thing))
      .addError(errors.schema("invalid_parameter", "unavailable"))
      .annotate(RequiredScope, "things:read")
      .annotate(SuccessHeaders, { Link: Paging.linkHeader("/v1/things", limits) })
  )
  .add(
    HttpApiEndpoint.post("addThing", "/things")
      .setPayload(NewThing)
      .addSuccess(Thing, { status: 201 })
      .addError(errors.schema("malformed_json", "invalid_body", "payload_too_large"))
      .addError(errors.schema("unsupported_media_type", "unavailable"))
      .annotate(RequiredScope, "things:write")
      .annotate(SuccessHeaders, { Location: { description: "Its path", example: "/v1/things/1" } })
      .annotate(Examples, { response: { one: { summary: "A thing", value: { id: 1 } } } })
  )
  .add(
    HttpApiEndpoint.get("getThing", "/things/:thingId")
      .setPath(Schema.Struct({ thingId: Int64Text }))
      .addSuccess(Thing)
      .addError(errors.schema("thing_not_found", "gone", "unavailable"))
      .annotate(RequiredScope, "things:read")
      .annotate(Deprecation, {
        since: new Date("2026-11-14T00:00:00Z"),
        sunset: new Date("2030-12-05T00:00:00Z"),
        successor: "/things"
      })
  )
  .middleware(Authorization) {}

/** The whole API. */
export class ThingsApi extends HttpApi.make("things")
  .add(Things)
  .addError(ErrorBody.OfTransport)
  .addError(errors.schema("unavailable"))
  .prefix("/v1")
  .annotate(OpenApi.Title, "Things")
  .annotate(OpenApi.Version, "1.0.0") {}

/** The API and what a server of it needs to know. */
export const contract = { api: ThingsApi, prefix: "/v1", realm: "things" }
