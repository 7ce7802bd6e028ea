/** A contract as an OpenAPI 3.1 document. */
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
  type SuccessHeader,
  SuccessHeaders
} from "./Annotations.ts"
import * as Credential from "./Credential.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as DocumentHeaders from "./internal/contract/DocumentHeaders.ts"
import { formatIn } from "./internal/contract/Expected.ts"
import * as SchemaNames from "./internal/contract/SchemaNames.ts"
import * as Undocumented from "./internal/contract/Undocumented.ts"

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
  /** What callers authenticate with; an access token unless given. */
  readonly credential?: Credential.Credential
  /** The path that callers have before the endpoint's own, if it is not the prefix: longer behind a proxy that strips one. */
  readonly basePath?: string
  /** Where the API is served; unless given, on the server of the document, at the base path. */
  readonly servers?: ReadonlyArray<Server> | undefined
}

/** A message that callers of an operation get. */
const messageAt = (
  { code, example }: ErrorBody.Kind,
  { allow, basePath, credential, deprecation, scope }: DocumentHeaders.Operation
): string => {
  if (code === "forbidden") return Credential.lacksScope(credential, scope)
  if (code === "method_not_allowed") return `this path answers ${allow}`
  return code === "gone" && deprecation !== undefined
    ? `this operation is gone; use ${basePath}${deprecation.successor} instead`
    : example
}

/** The name of an operation in words: `getThing` is `Get thing`. */
const sentenceOf = (name: string): string => {
  const words = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase()
  return words.replace(/^./, (first) => first.toUpperCase())
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

/** The methods of a path, of which these are declared, as the header `Allow` lists them. */
export const allowOf = (declared: ReadonlyArray<string>): string => {
  const isThere = (method: string) => declared.includes(method === "HEAD" ? "GET" : method)
  return [...methods.filter(isThere), "OPTIONS"].join(", ")
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

/** Every operation that reads has it. */
const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description:
    "The `ETag` of answers that the caller has: if one of them is current, the answer is 304, without content",
  required: false,
  schema: { type: "string", examples: [DocumentHeaders.exampleTag] }
}

/** The same request or response, with more about its content if it has any. */
const withMedia = (
  message: { readonly content?: object | undefined } | undefined,
  more: { readonly schema?: object; readonly examples?: ExampleValues } | undefined
) => ({
  ...message,
  ...(message?.content && {
    content: Record.map({ ...message.content }, (media: object) => ({ ...media, ...more }))
  })
})

/** The document of an API. */
export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>({
  api,
  prefix,
  basePath = prefix,
  credential = Credential.accessToken,
  realm,
  servers = [{ url: basePath, description: "This server" }]
}: Options<Id, Groups, E, R>) => {
  const own = withoutDecodeError(api)
  const spec = specOf(own)
  const { schemas } = spec.components
  if ("Error" in schemas)
    throw new Error("the identifier Error is that of error bodies: give the schema another one")
  const nameOf = SchemaNames.make(own)
  const security = [{ [credential.scheme]: [] }]
  /** Callers get paths with the base path. */
  const atBase = ({ example, ...header }: SuccessHeader) => ({
    ...header,
    ...(example && { example: example.replace(`${prefix}/`, `${basePath}/`) })
  })
  const paths: Record<string, Record<string, unknown>> = {}
  const examples: Array<ErrorBody.ErrorBody> = []

  HttpApi.reflect(own, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, mergedAnnotations, successes }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      const method = endpoint.method.toLowerCase()
      const operation = Object.entries(spec.paths[path] ?? {}).find(([key]) => key === method)?.[1]
      if (operation === undefined) return
      const annotation = <Id, A>(tag: Context.Tag<Id, A>) =>
        Option.getOrUndefined(Context.getOption(mergedAnnotations, tag))
      const scope = annotation(RequiredScope)
      const deprecation = annotation(Deprecation)
      const about = {
        realm,
        credential,
        basePath,
        scope,
        deprecation,
        successHeaders: Record.map(annotation(SuccessHeaders) ?? {}, atBase),
        allow: allowOf(Object.keys(spec.paths[path] ?? {}).map((name) => name.toUpperCase())),
        isRead: method === "get"
      }
      const given = annotation(Examples)

      const responses: Record<number, unknown> = {}
      for (const [status, { ast }] of successes) {
        const name = Option.flatMap(ast, nameOf)
        responses[status] = {
          ...withMedia(operation.responses[status], {
            ...(Option.isSome(name) && { schema: { $ref: `#/components/schemas/${name.value}` } }),
            ...(given && { examples: given.response })
          }),
          headers: DocumentHeaders.make(status, about)
        }
      }
      if (about.isRead)
        responses[304] = {
          description: "The answer has one of the tags in `If-None-Match`",
          headers: DocumentHeaders.make(304, about)
        }
      const declared = new Map(
        Array.from(errors, ([status, { ast }]) => {
          const error = Option.getOrElse(ast, () => AST.neverKeyword)
          if (!ErrorBody.areMade(error))
            throw new Error(
              `an error of ${endpoint.name} with status ${status} is not made with ErrorBody`
            )
          return [status, ErrorBody.kindsOf(error, credential)]
        })
      )
      if (Option.isSome(endpoint.pathSchema)) {
        const kinds = declared.get(404) ?? []
        declared.set(404, [...new Set([...kinds, ErrorBody.ofPath(kinds)])])
      }
      for (const [status, kinds] of declared) {
        const exampleOf = (kind: ErrorBody.Kind) => ({
          summary: kind.meaning,
          value: { code: kind.code, message: messageAt(kind, about), status }
        })
        examples.push(...kinds.map((kind) => exampleOf(kind).value))
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
      const needs = scope && `Needs a ${credential.word} with the scope \`${scope}\`.`
      // In its name: references strike that through, and say why elsewhere, if at all.
      const removal = deprecation && `(removed on ${dayOf(deprecation.sunset)})`
      const { requestBody } = operation
      const key = path.slice(prefix.length)
      paths[key] = {
        ...paths[key],
        [method]: {
          ...operation,
          security,
          ...(deprecation && { deprecated: true }),
          summary: joined(operation.summary ?? sentenceOf(endpoint.name), removal),
          description: joined(operation.description, needs),
          parameters: [
            ...operation.parameters.map((parameter) =>
              parameter.in === "header"
                ? { ...parameter, name: headerName(parameter.name) }
                : parameter
            ),
            ...(about.isRead ? [ifNoneMatch] : [])
          ],
          ...(requestBody && {
            requestBody: withMedia(requestBody, given?.request && { examples: given.request })
          }),
          responses
        }
      }
    }
  })

  return {
    openapi: spec.openapi,
    info: spec.info,
    servers,
    security,
    tags: spec.tags,
    paths,
    components: {
      schemas: { Error: errorSchema(exampleOf(examples)), ...schemas },
      securitySchemes: {
        [credential.scheme]: {
          description: `The ${credential.name}, sent as a bearer token`,
          type: "http",
          scheme: "bearer"
        }
      }
    }
  }
}

/** The contract without the error of the stock server, which is never answered. */
const withoutDecodeError = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): HttpApi.HttpApi<Id, Groups, E, R> => {
  const { ast } = api.errorSchema
  const others = (AST.isUnion(ast) ? ast.types : [ast]).filter((type) => {
    // By its name: the contract may be made with another copy of the platform.
    const name = AST.getIdentifierAnnotation(AST.isTransformation(type) ? type.to : type)
    return !Option.contains(name, "HttpApiDecodeError")
  })
  return Object.create(api, { errorSchema: { value: Schema.make(AST.Union.make(others)) } })
}

/**
 * What the platform makes of a contract, without `additionalProperties`. Requests may have unknown properties, which are
 * ignored; responses never have any. Said in the document, generated clients would accept misspelled properties, or
 * refuse responses of a later version. What Effect says of its own schemas is for programmers: callers get keywords and formats.
 */
const specOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): OpenApi.OpenAPISpec => {
  try {
    return JSON.parse(JSON.stringify(OpenApi.fromApi(api)), (name, value) => {
      if (name === "additionalProperties" && value === false) return undefined
      const isOfEffect = name in ofEffect && ofEffect[name]?.test(value)
      const format = typeof value?.description === "string" && formatIn(value.description)
      if (!format) return isOfEffect ? undefined : value
      const { description: _, ...schema } = value
      return { ...schema, format }
    })
  } catch (error) {
    Undocumented.report(api)
    throw error
  }
}

/** The titles and descriptions of filters of Effect, which keywords repeat. */
const ofEffect: Readonly<Record<string, RegExp>> = {
  title: /^(?:\w+\(.*\)|int|finite|nonEmptyString|(?:non)?(?:p|P)ositive|(?:non)?(?:n|N)egative)$/,
  description: /^(?:a string (?:at (?:least|most) \d+|matching)|a non empty string$|an integer$)/
}

/** An error of its own that an API has, or one that any API has. */
const exampleOf = (examples: ReadonlyArray<ErrorBody.ErrorBody>): ErrorBody.ErrorBody => {
  const own = examples.filter(({ code }) => !(code in ErrorBody.errors))
  return (
    Arr.sortWith(own, ({ status }) => status, Order.number)[0] ??
    ErrorBody.make("not_found", ErrorBody.errors.not_found.example)
  )
}

/** The schema of error bodies, with this example. */
const errorSchema = ({ code, message, status }: ErrorBody.ErrorBody) => ({
  type: "object",
  required: ["code", "message", "status"],
  properties: {
    code: {
      type: "string",
      description: "Machine-readable error code; more may be added",
      examples: [code]
    },
    message: {
      type: "string",
      description: "Human-readable description, of up to 300 characters",
      examples: [message]
    },
    status: {
      type: "integer",
      description: "The HTTP status code of the response",
      examples: [status]
    }
  },
  description: "What went wrong"
})
