/** The bearer token of an API's callers, as its contract declares it. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import * as ErrorBody from "./ErrorBody.ts"

/** `Authorization: Bearer <key>` on every operation of a group. */
export class Authorization extends HttpApiMiddleware.Tag<Authorization>()(
  "@petstore/http-api/Authorization",
  {
    failure: ErrorBody.schema("unauthorized"),
    security: {
      apiKey: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "The API key, sent as a bearer token")
      )
    }
  }
) {}
