/** The bearer token of an API's callers, as its contract declares it. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as ErrorBody from "./ErrorBody.ts"

/** `Authorization: Bearer <token>` on every operation of a group. */
export class Authorization extends HttpApiMiddleware.Tag<Authorization>()(
  "@petstore/http-transport/Authorization",
  {
    failure: ErrorBody.schema("unauthorized"),
    security: { bearer: HttpApiSecurity.bearer }
  }
) {}
