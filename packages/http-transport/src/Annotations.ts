/** Annotations of endpoints, for what HttpApi has no field for. */
import * as Context from "effect/Context"

/** The scope that a caller needs for an endpoint: any word without spaces. Without it, every authenticated caller may. */
export class RequiredScope extends Context.Tag("@petstore/http-transport/RequiredScope")<
  RequiredScope,
  string
>() {}

/** When an endpoint was deprecated, when it is removed, and the path of what replaces it, without the version prefix. */
export class Deprecation extends Context.Tag("@petstore/http-transport/Deprecation")<
  Deprecation,
  { readonly since: Date; readonly sunset: Date; readonly successor: string }
>() {}

/** The headers that announce the end of an endpoint. The path of the successor follows the base path. */
export const deprecationHeaders = (
  { since, successor, sunset }: Deprecation["Type"],
  basePath: string
) => ({
  Deprecation: `@${since.getTime() / 1000}`,
  Sunset: sunset.toUTCString(),
  Link: `<${basePath}${successor}>; rel="successor-version"`
})

/** Values for examples, each with a summary, by name, as OpenAPI has them. */
export type ExampleValues = Readonly<
  Record<string, { readonly summary: string; readonly value: unknown }>
>

/** What callers may send to an endpoint and what they get, in JSON. */
export class Examples extends Context.Tag("@petstore/http-transport/Examples")<
  Examples,
  { readonly request?: ExampleValues; readonly response: ExampleValues }
>() {}

/** A header of a successful response. */
export interface SuccessHeader {
  readonly description: string
  readonly example?: string | undefined
  /** Whether every successful response has it, as by default. */
  readonly required?: boolean
}

/** The headers of a successful response. */
export class SuccessHeaders extends Context.Tag("@petstore/http-transport/SuccessHeaders")<
  SuccessHeaders,
  Readonly<Record<string, SuccessHeader>>
>() {}
