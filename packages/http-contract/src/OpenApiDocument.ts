/** The contract as an OpenAPI 3.1 document. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { Deprecation, RequiredScope, SuccessHeaders } from "./Annotations.ts"
import * as ErrorBody from "./ErrorBody.ts"
import { PetStoreApi, prefix } from "./PetStoreApi.ts"

/** Where the service is reached, as the document tells it. */
export interface Server {
  readonly url: string
  readonly description: string
}

interface Header {
  readonly description: string
  readonly required: boolean
  readonly schema: { readonly type: "string" | "integer" }
}

interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, Header>>
  readonly content?: unknown
}

const header = (description: string, options?: { readonly optional: boolean }): Header => ({
  description,
  required: options?.optional !== true,
  schema: { type: "string" }
})

const everywhere = {
  "X-Request-Id": header("The caller's request id, or a new one"),
  "X-Content-Type-Options": header("Always `nosniff`")
}
const onEveryError = { ...everywhere, "Cache-Control": header("Always `no-store`") }
const challenge = { "WWW-Authenticate": header("How to authenticate") }
const retry = { "Retry-After": header("How many seconds to wait before the next try") }
const headersOfError: Readonly<Record<number, Readonly<Record<string, Header>>>> = {
  401: challenge,
  403: challenge,
  405: { Allow: header("The methods that the path has") },
  429: retry,
  503: retry
}
const headersOfDeprecation = {
  Deprecation: header("Since when the operation is deprecated (RFC 9745)"),
  Sunset: header("When the operation is removed (RFC 8594)"),
  Link: header("What replaces the operation")
}
const carriesDeprecation = new Set([200, 404, 410])

const errorResponse = (status: number, codes: ReadonlyArray<ErrorBody.ErrorCode>): Response => ({
  description: codes.map((code) => ErrorBody.meanings[code]).join(". "),
  headers: { ...onEveryError, ...headersOfError[status] },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: ErrorBody.make(code, ErrorBody.meanings[code]) }])
      )
    }
  }
})

/** The document, telling callers of these servers. */
export const make = (options: { readonly servers: ReadonlyArray<Server> }) => {
  const spec = OpenApi.fromApi(PetStoreApi)
  const paths: Record<string, Record<string, unknown>> = {}

  HttpApi.reflect(PetStoreApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, mergedAnnotations, successes }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      const method = endpoint.method.toLowerCase()
      const operation = Object.entries(spec.paths[path] ?? {}).find(([key]) => key === method)?.[1]
      if (operation === undefined) return
      const deprecated = Option.isSome(Context.getOption(mergedAnnotations, Deprecation))
      const extra = (status: number) =>
        deprecated && carriesDeprecation.has(status) ? headersOfDeprecation : {}

      const responses: Record<number, Response> = {}
      for (const status of successes.keys()) {
        const named = Option.getOrElse(
          Context.getOption(mergedAnnotations, SuccessHeaders),
          () => ({})
        )
        const own = Object.entries(named).map(([name, text]) => [
          name,
          header(text, { optional: name === "Link" })
        ])
        responses[status] = {
          ...operation.responses[status],
          description: operation.responses[status]?.description ?? "Success",
          headers: { ...everywhere, ...Object.fromEntries(own), ...extra(status) }
        }
      }
      for (const [status, { ast }] of errors) {
        const response = errorResponse(
          status,
          Option.match(ast, {
            onNone: () => [],
            onSome: ErrorBody.codesOf
          })
        )
        responses[status] = { ...response, headers: { ...response.headers, ...extra(status) } }
      }
      const scope = Option.getOrUndefined(Context.getOption(mergedAnnotations, RequiredScope))
      paths[path.slice(prefix.length)] = {
        ...paths[path.slice(prefix.length)],
        [method]: {
          ...operation,
          description: `${operation.description} Needs a key with the scope \`${scope}\`.`,
          responses
        }
      }
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
    servers: options.servers,
    security: [{ apiKey: [] }],
    tags: spec.tags,
    paths,
    // A caller may send more than NewPet names; a response never holds more than its schema does.
    components: {
      ...spec.components,
      schemas: { ...schemas, NewPet: { ...schemas["NewPet"], additionalProperties: true } }
    }
  }
}
