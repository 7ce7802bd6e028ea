/** The contract as an OpenAPI 3.1 document. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import { Deprecation, RequiredScope, SuccessHeaders } from "./Annotations.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as DocumentHeaders from "./internal/DocumentHeaders.ts"
import * as Examples from "./internal/Examples.ts"
import { introduction } from "./internal/Introduction.ts"
import { PetStoreApi, prefix } from "./PetStoreApi.ts"

/** An entry of the document's `servers`. */
export interface Server {
  readonly url: string
  readonly description: string
}

const errorExample = (code: ErrorBody.ErrorCode, operation: Examples.Operation) => ({
  summary: ErrorBody.meaningOf(code),
  value: ErrorBody.make(code, Examples.messagesAt(operation)[code])
})

/** As headers are usually written: the contract has them in lower case. */
const headerName = (name: string): string =>
  name.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase())

/** The methods that a path has, HEAD and OPTIONS included. */
const allowOf = (methods: ReadonlyArray<string>): string =>
  [...methods.flatMap((method) => (method === "get" ? ["get", "head"] : method)), "options"]
    .join(", ")
    .toUpperCase()

/** The same content with examples. */
const withExamples = (content: object | undefined, examples: Examples.Examples | undefined) =>
  Record.map({ ...content }, (media: object) => ({ ...media, examples }))

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
      const scope = annotation(RequiredScope)
      const about = {
        scope,
        deprecation: annotation(Deprecation),
        successHeaders: annotation(SuccessHeaders) ?? {},
        allow: allowOf(Object.keys(spec.paths[path] ?? {}))
      }
      const examples = Examples.ofOperations[endpoint.name]

      const responses: Record<number, unknown> = {}
      for (const status of successes.keys()) {
        const response = operation.responses[status]
        responses[status] = {
          ...response,
          headers: DocumentHeaders.make(status, about),
          content: withExamples(response?.content, examples?.response)
        }
      }
      for (const [status, { ast }] of errors) {
        const codes = Option.match(ast, { onNone: () => [], onSome: ErrorBody.codesOf })
        responses[status] = {
          description: codes.map((code) => `\`${code}\`: ${ErrorBody.meaningOf(code)}.`).join(" "),
          headers: DocumentHeaders.make(status, about),
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Error" },
              examples: Record.fromEntries(codes.map((code) => [code, errorExample(code, about)]))
            }
          }
        }
      }
      const { requestBody } = operation
      const key = path.slice(prefix.length)
      paths[key] = {
        ...paths[key],
        [method]: {
          ...operation,
          description: `${operation.description} Needs a key with the scope \`${scope}\`.`,
          parameters: operation.parameters.map((parameter) =>
            parameter.in === "header"
              ? { ...parameter, name: headerName(parameter.name) }
              : parameter
          ),
          ...(requestBody !== undefined && {
            requestBody: {
              ...requestBody,
              content: withExamples(requestBody.content, examples?.request)
            }
          }),
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
      description: introduction,
      contact: { name: "The operators of this Pet Store" },
      license: { name: "MIT", identifier: "MIT" }
    },
    servers,
    security: [{ apiKey: [] }],
    tags: spec.tags,
    paths,
    components: { ...spec.components, schemas: Record.map(schemas, withoutAdditionalProperties) }
  }
}

/**
 * Requests may have unknown properties, which are ignored; responses never have any. Said in the document, generated
 * clients would accept misspelled properties, or refuse responses of a later version.
 */
const withoutAdditionalProperties = (schema: object): object =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "additionalProperties"))
