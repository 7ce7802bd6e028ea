/** Compiles an endpoint of the contract into a route: decode, run, encode. */
import { type IncomingHttpHeaders, validateHeaderValue } from "node:http"
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpMethod from "@effect/platform/HttpMethod"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Direct from "@petstore/kernel/Direct"
import * as Arr from "effect/Array"
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
import * as EntityTag from "../exchange/EntityTag.ts"
import type { Exchange } from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"
import * as RequestBody from "../exchange/RequestBody.ts"
import type { Handle, Route } from "../exchange/Routes.ts"
import * as BearerToken from "./BearerToken.ts"
import * as ContractChecks from "./ContractChecks.ts"
import * as Memo from "./Memo.ts"
import * as SuccessEncoders from "./SuccessEncoders.ts"
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

/** The route of an endpoint with its handler; a contract that cannot be compiled throws at start. */
export const compile = (
  { endpoint, errors, mergedAnnotations, payloads, successes }: Reflected,
  handler: AnyHandler,
  options: Options & BearerToken.Options & ContractChecks.Place,
  clock: Clock.Clock
): Route<Caller> => {
  ContractChecks.checkParameters(endpoint)
  const encoders = SuccessEncoders.make(successes, endpoint.method === "GET")
  const [usualStatus = 200] = encoders.keys()
  const encoderOf = (status: number) => {
    const encode = encoders.get(status)
    if (encode === undefined) throw new Error(`${endpoint.name} declares no status ${status}`)
    return encode
  }
  const decodePath = decoder(endpoint.pathSchema, "the path")
  const lists = namesIn(endpoint.urlParamsSchema, isList)
  const isRepeatedIn = (query: unknown) => (name: string) =>
    !lists.includes(name) && Array.isArray(Object(query)[name])
  const decodeParameters = decoder(endpoint.urlParamsSchema, "the query", isRepeatedIn)
  const decodeQuery = Memo.byText((query) => decodeParameters(parseQuery(query, lists)))
  const decodeHeaders = headersDecoder(endpoint.headersSchema)
  const decodeBody = decoder(endpoint.payloadSchema, "the body")
  const hasBody = readsBody(endpoint, payloads)
  const declared = Option.flatMap(Option.fromNullable(errors.get(404)), ({ ast }) => ast)
  const noSuchPath = ErrorBody.ofPath(
    Option.match(declared, {
      onNone: () => [],
      onSome: (ast) => ErrorBody.kindsOf(ast, options.credential)
    })
  ).code
  const scope = Option.getOrUndefined(Context.getOption(mergedAnnotations, RequiredScope))
  if (scope !== undefined) ContractChecks.checkScope(scope)
  const toCaller = headersToCaller(options)
  const forbidden = BearerToken.forbidden(options, scope ?? "")
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
    exchange.parameters = urlParams.right
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
      onSuccess: ({ body, headers = none, status = usualStatus }): Reply.Reply =>
        tagged(exchange, { status, headers: toCaller(headers), body: encoderOf(status)(body) })
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

/** The headers of a handler as callers get them: paths start with the base path instead of the prefix. */
const headersToCaller = ({ basePath, prefix }: ContractChecks.Place) => {
  const moved = (name: string | undefined, value: string) => {
    if (name === "Location" && value.startsWith(`${prefix}/`))
      return `${basePath}${value.slice(prefix.length)}`
    return name === "Link" ? value.replaceAll(`<${prefix}/`, `<${basePath}/`) : value
  }
  return (headers: Reply.Headers): Reply.Headers => {
    // Node would throw when the answer is sent, and end the process.
    for (let nth = 1; nth < headers.length; nth += 2)
      validateHeaderValue(headers[nth - 1] ?? "", headers[nth] ?? "")
    return basePath === prefix
      ? headers
      : headers.map((text, nth) => (nth % 2 === 0 ? text : moved(headers[nth - 1], text)))
  }
}

/** The same answer with its tag, or 304 if the caller has it already. */
const tagged = ({ request }: Exchange, reply: Reply.Reply): Reply.Reply => {
  if (reply.body?.digest === undefined) return reply
  const tag = EntityTag.make(reply.body.digest, reply.headers)
  const headers = ["ETag", tag, ...reply.headers]
  return EntityTag.isKnown(tag, request.headers["if-none-match"])
    ? { status: 304, headers }
    : { ...reply, headers }
}

const json = "application/json"

/** Whether an endpoint has a body; one that cannot be read throws. */
const readsBody = (
  { method, payloadSchema }: Reflected["endpoint"],
  payloads: Reflected["payloads"]
): boolean => {
  if (Option.isNone(payloadSchema)) return false
  if (!HttpMethod.hasBody(method))
    throw new Error(`a ${method} has no payload: declare it with setUrlParams`)
  for (const type of payloads.keys())
    if (type !== json) throw new Error(`its payload is ${type}, and only ${json} can be read`)
  return true
}

type Decode = (input: unknown) => Either.Either<unknown, string>

const decoder = (
  schema: Option.Option<Schema.Schema.All>,
  whole: string,
  isRepeatedIn?: (input: unknown) => (field: string) => boolean
): Decode => {
  if (Option.isNone(schema)) return () => Either.right(undefined)
  const decode = Schema.decodeUnknownEither(Schema.make<unknown>(schema.value.ast), {
    errors: "all"
  })
  return (input) =>
    Either.mapLeft(decode(input), (error) => Issues.describe(error, whole, isRepeatedIn?.(input)))
}

/** Most requests have none of the headers of an endpoint, so these are decoded only if there is one. */
const headersDecoder = (
  schema: Option.Option<Schema.Schema.All>
): ((headers: IncomingHttpHeaders) => ReturnType<Decode>) => {
  const decode = decoder(schema, "the headers")
  const names = namesIn(schema, () => true)
  const without = decode({})
  return (headers) =>
    names.some((name) => headers[name] !== undefined) ? decode(headers) : without
}

/** The names of what a schema is decoded from, if it is of such a type. */
const namesIn = (
  schema: Option.Option<Schema.Schema.All>,
  is: (type: AST.AST) => boolean
): ReadonlyArray<string> =>
  Arr.fromOption(schema).flatMap(({ ast }) =>
    AST.getPropertySignatures(AST.encodedAST(ast))
      .filter(({ type }) => is(type))
      .map(({ name }) => String(name))
  )

const isList = (type: AST.AST): boolean =>
  AST.isUnion(type)
    ? type.types.some(isList) && !type.types.some(AST.isStringKeyword)
    : AST.isTupleType(type)

/** A parameter that is given once is a string, unless it is a list; one that is repeated is an array. */
const parseQuery = (query: string, lists: ReadonlyArray<string>) => {
  // `URLSearchParams` drops one `?`; add ours.
  const record = UrlParams.toRecord(UrlParams.fromInput(new URLSearchParams(`?${query}`)))
  const given = lists.filter((name) => name in record)
  return { ...record, ...Object.fromEntries(given.map((name) => [name, [record[name]].flat()])) }
}
