/** The contract as an OpenAPI 3.1 document. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import { Deprecation, RequiredScope, SuccessHeaders } from "./Annotations.ts"
import * as ErrorBody from "./ErrorBody.ts"
import { PetStoreApi, prefix } from "./PetStoreApi.ts"

/** An entry of the document's `servers`. */
export interface Server {
  readonly url: string
  readonly description: string
}

const header = (description: string, required = true) => ({
  description,
  required,
  schema: { type: "string" }
})
type Headers = Readonly<Record<string, ReturnType<typeof header>>>

const everywhere = {
  "X-Request-Id": header("The caller's request id, or a new one"),
  "X-Content-Type-Options": header("Always `nosniff`"),
  "RateLimit-Policy": header("The rate limit of the key, if there is one", false),
  RateLimit: header("What is left of it, and when it starts anew", false)
}
const onEveryError = { ...everywhere, "Cache-Control": header("Always `no-store`") }
const challenge = { "WWW-Authenticate": header("How to authenticate") }
const retry = { "Retry-After": header("How many seconds to wait before the next try") }
const onStatus: Readonly<Record<number, Headers>> = {
  401: challenge,
  403: challenge,
  405: { Allow: header("The methods that the path has") },
  429: retry,
  503: retry
}
const ifDeprecated: Headers = {
  Deprecation: header("Since when the operation is deprecated (RFC 9745)"),
  Sunset: header("When the operation is removed (RFC 8594)"),
  Link: header("What replaces the operation")
}

const errorContent = (codes: ReadonlyArray<ErrorBody.ErrorCode>) => ({
  "application/json": {
    schema: { $ref: "#/components/schemas/Error" },
    examples: Object.fromEntries(
      codes.map((code) => [code, { value: ErrorBody.make(code, ErrorBody.meaningOf(code)) }])
    )
  }
})

/** As headers are usually written: the contract has them in lower case. */
const headerName = (name: string): string =>
  name.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase())

/** The document, with these servers. */
export const make = ({ servers }: { readonly servers: ReadonlyArray<Server> }) => {
  const spec = OpenApi.fromApi(PetStoreApi)
  const paths: Record<string, Record<string, unknown>> = {}

  HttpApi.reflect(PetStoreApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, mergedAnnotations, successes }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      const method = endpoint.method.toLowerCase()
      const operation = Object.entries(spec.paths[path] ?? {}).find(([key]) => key === method)?.[1]
      if (operation === undefined) return
      const annotation = <Id, A>(tag: Context.Tag<Id, A>) =>
        Option.getOrUndefined(Context.getOption(mergedAnnotations, tag))
      const isDeprecated = annotation(Deprecation) !== undefined
      const extra = (status: number) =>
        isDeprecated && [200, 404, 410].includes(status) ? ifDeprecated : {}
      // A list has a Link only while more pages follow.
      const own = Record.map(annotation(SuccessHeaders) ?? {}, (description, name) =>
        header(description, name !== "Link")
      )

      const responses: Record<number, unknown> = {}
      for (const status of successes.keys()) {
        const headers = { ...everywhere, ...own, ...extra(status) }
        responses[status] = { ...operation.responses[status], headers }
      }
      for (const [status, { ast }] of errors) {
        const codes = Option.match(ast, { onNone: () => [], onSome: ErrorBody.codesOf })
        responses[status] = {
          description: codes.map(ErrorBody.meaningOf).join(". "),
          headers: { ...onEveryError, ...onStatus[status], ...extra(status) },
          content: errorContent(codes)
        }
      }
      const description = `${operation.description} Needs a key with the scope \`${annotation(RequiredScope)}\`.`
      const parameters = operation.parameters.map((parameter) =>
        parameter.in === "header" ? { ...parameter, name: headerName(parameter.name) } : parameter
      )
      const place = path.slice(prefix.length)
      const documented = { ...operation, description, parameters, responses }
      paths[place] = { ...paths[place], [method]: documented }
    }
  })

  const { HttpApiDecodeError, Issue, PropertyKey, ...schemas } = spec.components.schemas
  return {
    openapi: spec.openapi,
    info: {
      ...spec.info,
      contact: { name: "The operators of this Pet Store" },
      license: { name: "MIT", identifier: "MIT" }
    },
    servers,
    security: [{ apiKey: [] }],
    tags: spec.tags,
    paths,
    // Requests may have unknown properties, which are ignored; responses never have any.
    components: {
      ...spec.components,
      schemas: { ...schemas, NewPet: { ...schemas["NewPet"], additionalProperties: true } }
    }
  }
}
