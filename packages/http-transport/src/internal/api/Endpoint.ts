/** Compiles an endpoint of the contract into a route: decode, run, encode. */
import type { IncomingHttpHeaders } from "node:http"
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Direct from "@petstore/kernel/Direct"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Deprecation, RequiredScope } from "../../Annotations.ts"
import type { Caller } from "../../Authentication.ts"
import * as ErrorBody from "../../ErrorBody.ts"
import type { Failure, Success } from "../../Handlers.ts"
import * as Issues from "../../Issues.ts"
import * as JsonEncoder from "../../JsonEncoder.ts"
import * as EntityTag from "../exchange/EntityTag.ts"
import type { Exchange } from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"
import * as RequestBody from "../exchange/RequestBody.ts"
import type { Handle, Route } from "../exchange/Routes.ts"
import * as BearerToken from "./BearerToken.ts"
import * as Memo from "./Memo.ts"
import * as Sunset from "./Sunset.ts"

/** What {@link HttpApi.reflect} gives for an endpoint. */
type Reflected = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

type Outcome = Effect.Effect<Success<unknown>, Failure<ErrorBody.ErrorBody>>

/** A handler, whichever endpoint it is of: the contract types it. */
export type AnyHandler = (request: never) => Outcome

/** What an endpoint is compiled with. */
export interface Options {
  /** The prefix as callers have it: longer behind a proxy, or in a host, that strips a part. `Link` and `Location` start with it. */
  readonly basePath: string
  /** How many bytes a request's body may have. */
  readonly maxBodyBytes: number
}

/** Where an API is, and who authenticates its callers. */
interface Place {
  readonly prefix: string
  readonly realm: string
}

/** The route of an endpoint with its handler; an endpoint that cannot be served throws at start. */
export const compile = (
  reflected: Reflected,
  handler: AnyHandler,
  options: Options & Place,
  clock: Clock.Clock
): Route<Caller> => {
  const { endpoint, errors, mergedAnnotations } = reflected
  const { successSchema } = endpoint
  const status = HttpApiSchema.getStatusSuccess(successSchema)
  const encode = encoder(successSchema.ast, endpoint.method === "GET")
  const decodePath = decoder(endpoint.pathSchema, "the path")
  const decodeParameters = decoder(endpoint.urlParamsSchema, "the query", isRepeatedIn)
  const parametersIn = parameterReader(endpoint.urlParamsSchema)
  const decodeQuery = Memo.byText((query) => decodeParameters(parametersIn(query)))
  const decodeHeaders = headersDecoder(endpoint.headersSchema)
  const decodeBody = decoder(endpoint.payloadSchema, "the body")
  const hasBody = Option.isSome(endpoint.payloadSchema)
  const declared = Option.flatMap(Option.fromNullable(errors.get(404)), ({ ast }) => ast)
  const [{ code: noSuchPath } = { code: "not_found" }] = Option.match(declared, {
    onNone: () => [],
    onSome: ErrorBody.kindsOf
  })
  const scope = Option.getOrUndefined(Context.getOption(mergedAnnotations, RequiredScope))
  const toCaller = headersToCaller(options)
  const forbidden = BearerToken.forbidden(options.realm, scope ?? "")
  // The contract types the handler; this function compiles any endpoint.
  const run = handler as (request: unknown) => Outcome

  const handle: Handle<Caller> = (exchange, parameters, caller) => {
    if (scope !== undefined && !caller.scopes.includes(scope)) return forbidden
    const path = decodePath(parameters)
    if (Either.isLeft(path)) {
      return Exit.fail(Reply.error(ErrorBody.of(noSuchPath, 404, path.left)))
    }
    const urlParams = decodeQuery(exchange.query)
    if (Either.isLeft(urlParams)) return Reply.fail("invalid_parameter", urlParams.left)
    exchange.notes.parameters = urlParams.right
    const headers = decodeHeaders(exchange.request.headers)
    if (Either.isLeft(headers)) return Reply.fail("bad_request", headers.left)
    const request = {
      caller,
      path: path.right,
      urlParams: urlParams.right,
      headers: headers.right
    }
    if (!hasBody) return answer(exchange, request)
    return Direct.flatMap(RequestBody.json(exchange, options.maxBodyBytes), (body) => {
      const payload = decodeBody(body)
      return Either.isLeft(payload)
        ? Reply.fail("invalid_body", payload.left)
        : answer(exchange, { ...request, payload: payload.right })
    })
  }
  const answer = (exchange: Exchange, request: unknown) =>
    Direct.mapBoth(run(request), {
      onFailure: ({ body, cause, retryAfter }): Reply.Reply => ({
        ...Reply.error(body, [], retryAfter),
        cause
      }),
      onSuccess: ({ body, headers = none }): Reply.Reply =>
        tagged(exchange, { status, headers: toCaller(headers), body: encode(body) })
    })

  return {
    method: endpoint.method,
    path: endpoint.path,
    handle: Option.match(Context.getOption(mergedAnnotations, Deprecation), {
      onNone: () => handle,
      onSome: (deprecation) => Sunset.wrap(deprecation, options.basePath, clock, handle)
    })
  }
}

const none: Reply.Headers = []

/** Encodes a success as JSON; one that `isTagged` has a digest. */
const encoder = (ast: AST.AST, isTagged: boolean): ((body: unknown) => Reply.Body) => {
  const encode = JsonEncoder.make(Schema.make<unknown>(ast))
  return Memo.byArray((value) => {
    const body = Reply.json(encode(value))
    return isTagged ? { ...body, digest: EntityTag.digest(body.content) } : body
  })
}

/** The headers of a handler as callers get them: paths start with the base path instead of the prefix. */
const headersToCaller = ({ basePath, prefix }: Options & Place) => {
  const moved = ([name, value]: Reply.Header): Reply.Header => {
    if (name === "Location" && value.startsWith(`${prefix}/`))
      return [name, `${basePath}${value.slice(prefix.length)}`]
    return [name, name === "Link" ? value.replaceAll(`<${prefix}/`, `<${basePath}/`) : value]
  }
  return (headers: Reply.Headers): Reply.Headers =>
    basePath === prefix ? headers : headers.map(moved)
}

/** The same answer with its tag, or 304 if the caller has it already. */
const tagged = ({ request }: Exchange, reply: Reply.Reply): Reply.Reply => {
  if (reply.body?.digest === undefined) return reply
  const tag = EntityTag.make(reply.body.digest, reply.headers)
  const headers: Reply.Headers = [["ETag", tag], ...reply.headers]
  return EntityTag.isKnown(tag, request.headers["if-none-match"])
    ? { status: 304, headers }
    : { ...reply, headers }
}

type Decode = (input: unknown) => Either.Either<unknown, string>

const decoder = (
  schema: Option.Option<Schema.Schema.All>,
  whole: string,
  isRepeated: (input: unknown, field: string) => boolean = () => false
): Decode => {
  if (Option.isNone(schema)) return () => Either.right(undefined)
  const decode = Schema.decodeUnknownEither(Schema.make<unknown>(schema.value.ast), {
    errors: "all"
  })
  return (input) =>
    Either.mapLeft(decode(input), (error) =>
      Issues.describe(error, whole, (field) => isRepeated(input, field))
    )
}

/** Most requests have none of the headers of an endpoint, so these are decoded only if there is one. */
const headersDecoder = (
  schema: Option.Option<Schema.Schema.All>
): ((headers: IncomingHttpHeaders) => ReturnType<Decode>) => {
  const decode = decoder(schema, "the headers")
  const names = namesOf(schema)
  const without = decode({})
  return (headers) =>
    names.some((name) => headers[name] !== undefined) ? decode(headers) : without
}

/** The names of the fields of a schema. */
const namesOf = (schema: Option.Option<Schema.Schema.All>): ReadonlyArray<string> =>
  Option.match(schema, {
    onNone: () => [],
    onSome: ({ ast }) => AST.getPropertySignatures(AST.encodedAST(ast))
  }).map(({ name }) => String(name))

/** Reads the known parameters: one that is given once is a string, one that is repeated an array. */
const parameterReader = (schema: Option.Option<Schema.Schema.All>) => {
  const names = namesOf(schema)
  return (query: string) => {
    const given = new URLSearchParams(`?${query}`) // Drops one `?`.
    const entries = names.flatMap((name) => {
      const [first, ...others] = given.getAll(name)
      return first === undefined ? [] : [[name, others.length > 0 ? [first, ...others] : first]]
    })
    return Object.fromEntries(entries)
  }
}

const isRepeatedIn = (query: unknown, name: string): boolean => Array.isArray(Object(query)[name])
