/** The contract as an OpenAPI 3.1 document. */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import {
  Deprecation,
  Examples,
  type ExampleValues,
  RequiredScope,
  SuccessHeaders
} from "./Annotations.ts"
import * as ErrorBody from "./ErrorBody.ts"
import { allowOf } from "./internal/contract/Allow.ts"
import * as DocumentHeaders from "./internal/contract/DocumentHeaders.ts"

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
  /** The path that callers have before the endpoint's own, if it is not the prefix: longer behind a proxy that strips one. */
  readonly basePath?: string
  /** Where the API is served; unless given, on the server of the document, at the base path. */
  readonly servers?: ReadonlyArray<Server> | undefined
}

/** The document of an API. */
export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>({
  api,
  prefix,
  basePath = prefix,
  realm,
  servers = [{ url: basePath, description: "This server" }]
}: Options<Id, Groups, E, R>) => {
  const own = withoutDecodeError(api)
  const spec = specOf(own)
  const paths: Record<string, Record<string, unknown>> = {}
  const errors: Array<ErrorBody.ErrorBody> = []
  HttpApi.reflect(own, {
    onGroup: () => {},
    onEndpoint: (reflected) => {
      const { method, path } = reflected.endpoint
      const template = path.replace(/:(\w+)/g, "{$1}")
      const operations = new Map(Object.entries({ ...spec.paths[template] }))
      const operation = operations.get(method.toLowerCase())
      if (operation === undefined) return
      const methods = Array.from(operations.keys(), (name) => name.toUpperCase())
      const place = { realm, prefix, allow: allowOf(methods) }
      const described = describe(operation, reflected, place)
      const key = template.slice(prefix.length)
      paths[key] = { ...paths[key], [method.toLowerCase()]: described.operation }
      errors.push(...described.errors)
    }
  })

  return {
    openapi: spec.openapi,
    info: spec.info,
    servers,
    security,
    tags: spec.tags,
    // Callers get paths with the base path.
    paths: JSON.parse(JSON.stringify(paths).replaceAll(`${prefix}/`, `${basePath}/`)),
    components: {
      schemas: { Error: errorSchema(errors), ...spec.components.schemas },
      securitySchemes: {
        apiKey: {
          description: "The API key, sent as a bearer token",
          type: "http",
          scheme: "bearer"
        }
      }
    }
  }
}

/** What {@link HttpApi.reflect} gives for an endpoint. */
type Reflected = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

const security = [{ apiKey: [] }]

/** An operation with all that the platform does not know of, and its errors. */
const describe = (
  operation: OpenApi.OpenAPISpecOperation,
  { endpoint, errors, mergedAnnotations, successes }: Reflected,
  place: Pick<DocumentHeaders.Operation, "realm" | "prefix" | "allow">
) => {
  const annotation = <Id, A>(tag: Context.Tag<Id, A>) =>
    Option.getOrUndefined(Context.getOption(mergedAnnotations, tag))
  const scope = annotation(RequiredScope)
  const deprecation = annotation(Deprecation)
  const given = annotation(Examples)
  const isRead = endpoint.method === "GET"
  const about = {
    ...place,
    ...{ scope, deprecation, isRead, successHeaders: annotation(SuccessHeaders) ?? {} }
  }
  const responses: Record<number, unknown> = {}
  for (const status of successes.keys())
    responses[status] = {
      ...withExamples(operation.responses[status], given?.response),
      headers: DocumentHeaders.make(status, about)
    }
  if (isRead)
    responses[304] = {
      description: "The answer has one of the tags in `If-None-Match`",
      headers: DocumentHeaders.make(304, about)
    }
  const bodies: Array<ErrorBody.ErrorBody> = []
  for (const [status, { ast }] of errors) {
    const kinds = ErrorBody.kindsOf(Option.getOrElse(ast, () => AST.neverKeyword))
    const examples = kinds.map((kind) => ({
      summary: kind.meaning,
      value: { code: kind.code, message: messageAt(kind, about), status }
    }))
    bodies.push(...examples.map(({ value }) => value))
    responses[status] = {
      description: kinds.map(({ code, meaning }) => `\`${code}\`: ${meaning}.`).join(" "),
      headers: DocumentHeaders.make(status, about),
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Error" },
          examples: Record.fromEntries(examples.map((one) => [one.value.code, one]))
        }
      }
    }
  }
  const { requestBody } = operation
  return {
    errors: bodies,
    operation: {
      ...operation,
      security,
      ...(deprecation && { deprecated: true }),
      summary: joined(
        operation.summary,
        // In its name: references strike that through, and say why elsewhere, if at all.
        deprecation && `(until ${dayOf(deprecation.sunset)})`
      ),
      description: joined(
        operation.description,
        scope && `Needs a key with the scope \`${scope}\`.`
      ),
      parameters: [
        ...operation.parameters.map((parameter) =>
          parameter.in === "header" ? { ...parameter, name: headerName(parameter.name) } : parameter
        ),
        ...(isRead ? [ifNoneMatch] : [])
      ],
      ...(requestBody && { requestBody: withExamples(requestBody, given?.request) }),
      responses
    }
  }
}

/** A message that callers of an operation get. */
const messageAt = (
  { code, example }: ErrorBody.Kind,
  { allow, deprecation, prefix, scope }: DocumentHeaders.Operation
): string => {
  if (code === "forbidden") return ErrorBody.lacksScope(scope)
  if (code === "method_not_allowed") return `this path answers ${allow}`
  return code === "gone" && deprecation !== undefined
    ? `this operation is gone; use ${prefix}${deprecation.successor} instead`
    : example
}

const months =
  "January February March April May June July August September October November December"

/** A day in words. `Intl` would take 40 ms to load. */
const dayOf = (date: Date): string =>
  `${date.getUTCDate()} ${months.split(" ")[date.getUTCMonth()]} ${date.getUTCFullYear()}`

/** These texts, apart from those that are missing. */
const joined = (...texts: ReadonlyArray<string | undefined>) =>
  texts.filter(Predicate.isNotUndefined).join(" ")

/** As headers are usually written: the contract has them in lower case. */
const headerName = (name: string): string =>
  name.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase())

/** Every operation that reads has it. */
const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description:
    "The `ETag` of answers that the caller has: if one of them is current, the answer is 304, without content",
  required: false,
  schema: { type: "string", examples: [DocumentHeaders.exampleTag] }
}

/** The same request or response, with examples of its content. */
const withExamples = (
  message: { readonly content?: object | undefined } | undefined,
  examples: ExampleValues | undefined
) => ({
  ...message,
  ...(message?.content &&
    examples && {
      content: Record.map({ ...message.content }, (media: object) => ({ ...media, examples }))
    })
})

/** The contract without the error of the stock server, which is never answered. */
const withoutDecodeError = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): HttpApi.HttpApi<Id, Groups, E, R> => {
  const { ast } = api.errorSchema
  const others = (AST.isUnion(ast) ? ast.types : [ast]).filter(
    (error) => ErrorBody.kindsOf(error).length > 0
  )
  return Object.create(api, { errorSchema: { value: Schema.make(AST.Union.make(others)) } })
}

/**
 * What the platform makes of a contract, without `additionalProperties`. Requests may have unknown properties, which are
 * ignored; responses never have any. Said in the document, generated clients would accept misspelled properties, or
 * refuse responses of a later version.
 */
const specOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): OpenApi.OpenAPISpec =>
  JSON.parse(JSON.stringify(OpenApi.fromApi(api)), (name, value) =>
    name === "additionalProperties" && value === false ? undefined : value
  )

/** The schema of error bodies, with an example of the API's own. */
const errorSchema = (examples: ReadonlyArray<ErrorBody.ErrorBody>) => {
  const own = examples.filter(({ code }) => !(code in ErrorBody.errors))
  const [example] = Arr.sortWith(own, ({ status }) => status, Order.number)
  return {
    type: "object",
    required: ["code", "message", "status"],
    properties: {
      code: {
        type: "string",
        description: "Machine-readable error code; more may be added",
        examples: [example?.code]
      },
      message: {
        type: "string",
        description: "Human-readable description, of up to 300 characters",
        examples: [example?.message]
      },
      status: {
        type: "integer",
        description: "The HTTP status code of the response",
        examples: [example?.status]
      }
    },
    description: "What went wrong"
  }
}
