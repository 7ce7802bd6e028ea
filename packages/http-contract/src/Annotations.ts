/** What the contract says of an endpoint beyond the words that HttpApi has. */
import type { Scope } from "@petstore/access/ApiKey"
import * as Context from "effect/Context"

/** The scope that a key needs for this endpoint. */
export class RequiredScope extends Context.Tag("@petstore/http-contract/RequiredScope")<
  RequiredScope,
  Scope
>() {}

/** That an endpoint is deprecated since one instant, gone from another on, and what replaces it. */
export class Deprecation extends Context.Tag("@petstore/http-contract/Deprecation")<
  Deprecation,
  { readonly since: Date; readonly sunset: Date; readonly successor: string }
>() {}

/** The headers of an endpoint's success, each with its meaning. */
export class SuccessHeaders extends Context.Tag("@petstore/http-contract/SuccessHeaders")<
  SuccessHeaders,
  Readonly<Record<string, string>>
>() {}
