/** A contract as an OpenAPI 3.1 document. */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import {
  Deprecation,
  Examples,
  type ExampleValues,
  RequiredScope,
  SuccessHeaders
} from "./Annotations.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as DocumentHeaders from "./internal/DocumentHeaders.ts"

/** An entry of the document's `servers`. */
export interface Server {
  readonly url: string
  readonly description: string
}

/** An API and where it is served. */
export interface Options<Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R> {
  /** The API. Its errors are made with `ErrorBody`. */
  readonly api: HttpApi.HttpApi<Id, Groups, E, R>
  /** The version prefix of every path, such as `/v1`. */
  readonly prefix: string
  /** The name of who authenticates callers, in `WWW-Authenticate`. */
  readonly realm: string
  readonly servers: ReadonlyArray<Server>
}

/** A message that callers of an operation get. */
const messageAt = (
  { code, example }: ErrorBody.Kind,
  { allow, deprecation, prefix, scope }: DocumentHeaders.Operation
): string => {
  if (code === "forbidden") return `the API key lacks the scope ${scope}`
  if (code === "method_not_allowed") return `this path answers ${allow}`
  return code === "gone" && deprecation !== undefined
    ? `this operation is gone; use ${prefix}${deprecation.successor} instead`
    : example
}

/** As headers are usually written: the contract has them in lower case. */
const headerName = (name: string): string =>
  name.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase())

/** The methods that a path has, HEAD and OPTIONS included. */
const allowOf = (methods: ReadonlyArray<string>): string =>
  [...methods.flatMap((method) => (method === "get" ? ["get", "head"] : method)), "options"]
    .join(", ")
    .toUpperCase()

/** Every operation that reads has it. */
const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description:
    "The `ETag` of answers that the caller has: if one of them is current, the answer is 304, without content",
  required: false,
  schema: { type: "string", examples: [DocumentHeaders.exampleTag] }
}

/** The same request or response with examples. */
const withExamples = (
  message: { readonly content?: object | undefined } | undefined,
  examples: ExampleValues | undefined
) => ({
  ...message,
  content: Record.map({ ...message?.content }, (media: object) => ({ ...media, examples }))
})

/** The document of an API. */
export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>({
  api,
  prefix,
  realm,
  servers
}: Options<Id, Groups, E, R>) => {
  const spec = withoutAdditionalProperties(OpenApi.fromApi(api))
  const paths: Record<string, Record<string, unknown>> = {}

  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, mergedAnnotations, successes }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      const method = endpoint.method.toLowerCase()
      const operation = Object.entries(spec.paths[path] ?? {}).find(([key]) => key === method)?.[1]
      if (operation === undefined) return
      const annotation = <Id, A>(tag: Context.Tag<Id, A>) =>
        Option.getOrUndefined(Context.getOption(mergedAnnotations, tag))
      const scope = annotation(RequiredScope)
      const about = {
        realm,
        prefix,
        scope,
        deprecation: annotation(Deprecation),
        successHeaders: annotation(SuccessHeaders) ?? {},
        allow: allowOf(Object.keys(spec.paths[path] ?? {})),
        isRead: method === "get"
      }
      const examples = annotation(Examples)

      const responses: Record<number, unknown> = {}
      for (const status of successes.keys()) {
        responses[status] = {
          ...withExamples(operation.responses[status], examples?.response),
          headers: DocumentHeaders.make(status, about)
        }
      }
      if (about.isRead)
        responses[304] = {
          description: "The answer has one of the tags in `If-None-Match`",
          headers: DocumentHeaders.make(304, about)
        }
      for (const [status, { ast }] of errors) {
        const kinds = Option.match(ast, { onNone: () => [], onSome: ErrorBody.kindsOf })
        const exampleOf = (kind: ErrorBody.Kind) => ({
          summary: kind.meaning,
          value: { code: kind.code, message: messageAt(kind, about), status }
        })
        responses[status] = {
          description: kinds.map(({ code, meaning }) => `\`${code}\`: ${meaning}.`).join(" "),
          headers: DocumentHeaders.make(status, about),
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Error" },
              examples: Record.fromEntries(kinds.map((kind) => [kind.code, exampleOf(kind)]))
            }
          }
        }
      }
      const needs = scope && `Needs a key with the scope \`${scope}\`.`
      const { requestBody } = operation
      const key = path.slice(prefix.length)
      paths[key] = {
        ...paths[key],
        [method]: {
          ...operation,
          description: [operation.description, needs].filter(Predicate.isNotUndefined).join(" "),
          parameters: [
            ...operation.parameters.map((parameter) =>
              parameter.in === "header"
                ? { ...parameter, name: headerName(parameter.name) }
                : parameter
            ),
            ...(about.isRead ? [ifNoneMatch] : [])
          ],
          ...(requestBody && { requestBody: withExamples(requestBody, examples?.request) }),
          responses
        }
      }
    }
  })

  const { HttpApiDecodeError, Issue, PropertyKey, ...schemas } = spec.components.schemas
  return {
    openapi: spec.openapi,
    info: spec.info,
    servers,
    security: Object.keys(spec.components.securitySchemes).map((name) => ({ [name]: [] })),
    tags: spec.tags,
    paths,
    components: { ...spec.components, schemas }
  }
}

/**
 * Requests may have unknown properties, which are ignored; responses never have any. Said in the document, generated
 * clients would accept misspelled properties, or refuse responses of a later version.
 */
const withoutAdditionalProperties = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec =>
  JSON.parse(JSON.stringify(spec), (name, value) =>
    name === "additionalProperties" && value === false ? undefined : value
  )
