/** One endpoint of the contract, compiled: decode, run, encode. */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type { Grant } from "@petstore/access/ApiKey"
import * as Immediate from "@petstore/domain/Immediate"
import { Deprecation, RequiredScope } from "@petstore/http-contract/Annotations"
import * as ErrorBody from "@petstore/http-contract/ErrorBody"
import * as Issues from "@petstore/http-contract/Issues"
import * as JsonEncoder from "@petstore/http-contract/JsonEncoder"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as Authentication from "./Authentication.ts"
import type { Failure, Success } from "./Handlers.ts"
import * as Reply from "./Reply.ts"
import * as RequestBody from "./RequestBody.ts"
import type { Handle, Route } from "./Routes.ts"
import * as Sunset from "./Sunset.ts"

/** What {@link HttpApi.reflect} tells of an endpoint, as far as it matters here. */
interface Reflected {
  readonly endpoint: HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod>
  readonly mergedAnnotations: Context.Context<never>
  readonly successes: ReadonlyMap<number, { readonly ast: Option.Option<AST.AST> }>
  readonly errors: ReadonlyMap<number, { readonly ast: Option.Option<AST.AST> }>
}

type Outcome = Effect.Effect<Success<unknown>, Failure<ErrorBody.ErrorBody>>

/** What an endpoint is compiled with. */
export interface Options {
  readonly maxBodyBytes: number
  /** Asked at every request, so it is had beforehand. */
  readonly clock: Clock.Clock
}

/** The route of an endpoint with its handler; a contract that cannot be compiled throws at start. */
export const compile = (
  { endpoint, errors, mergedAnnotations, successes }: Reflected,
  handler: (request: never) => Outcome,
  options: Options
): Route<Grant> => {
  const encoders = encodersOf(successes)
  const [usualStatus = 200] = encoders.keys()
  const decodePath = decoder(endpoint.pathSchema, "the path")
  const decodeQuery = memoize(decoder(endpoint.urlParamsSchema, "the query"))
  const decodeHeaders = decoder(endpoint.headersSchema, "the headers")
  const decodeBody = decoder(endpoint.payloadSchema, "the body")
  const hasBody = Option.isSome(endpoint.payloadSchema)
  const noSuchPath = errors.get(404)?.ast.pipe(Option.map(ErrorBody.codesOf), Option.getOrNull)?.[0]
  const scope = Context.getOption(mergedAnnotations, RequiredScope).pipe(Option.getOrThrow)
  // The contract gives the handler its types; here, where any endpoint is compiled, they are gone.
  const run = handler as (request: unknown) => Outcome

  const handle: Handle<Grant> = (exchange, parameters, key) => {
    if (!key.scopes.includes(scope)) return Authentication.forbidden(scope)
    const path = decodePath(parameters)
    if (Either.isLeft(path)) return refused(noSuchPath ?? "not_found", path.left)
    const urlParams = decodeQuery(exchange.query)
    if (Either.isLeft(urlParams)) return refused("invalid_parameter", urlParams.left)
    const headers = decodeHeaders(exchange.request.headers)
    if (Either.isLeft(headers)) return refused("bad_request", headers.left)
    const request = { path: path.right, urlParams: urlParams.right, headers: headers.right }
    if (!hasBody) return answer(request)
    return Effect.flatMap(RequestBody.json(exchange, options.maxBodyBytes), (body) => {
      const payload = decodeBody(body)
      return Either.isLeft(payload)
        ? refused("invalid_body", payload.left)
        : answer({ ...request, payload: payload.right })
    })
  }
  const answer = (request: unknown) =>
    Immediate.mapBoth(
      run(request),
      ({ body, cause }) => ({ ...Reply.error(body), cause }),
      ({ body, headers, status = usualStatus }) => {
        const encode = encoders.get(status)
        return encode === undefined
          ? { status, headers }
          : Reply.json(status, encode(body), headers)
      }
    )

  return {
    method: endpoint.method,
    path: endpoint.path,
    handle: Option.match(Context.getOption(mergedAnnotations, Deprecation), {
      onNone: () => handle,
      onSome: (deprecation) => Sunset.wrap(deprecation, options.clock, handle)
    })
  }
}

const refused = (code: ErrorBody.ErrorCode, message: string) =>
  Effect.fail(Reply.refuse(code, message))

type Encode = (body: unknown) => string

/** The encoders of the declared successes, by status; none for one without a body. */
const encodersOf = (successes: Reflected["successes"]): ReadonlyMap<number, Encode | undefined> =>
  new Map(
    Array.from(successes, ([status, { ast }]) => [
      status,
      Option.getOrUndefined(
        Option.map(ast, (ast) => rememberFrozen(JsonEncoder.make(Schema.make<unknown>(ast))))
      )
    ])
  )

/** A frozen array, such as a page that a store hands out again, is encoded once. */
const rememberFrozen = (encode: Encode): Encode => {
  const known = new WeakMap<object, string>()
  return (body) => {
    if (!Array.isArray(body) || !Object.isFrozen(body)) return encode(body)
    const found = known.get(body)
    if (found !== undefined) return found
    const text = encode(body)
    known.set(body, text)
    return text
  }
}

type Decode<Input> = (input: Input) => Either.Either<unknown, string>

const decoder = (schema: Option.Option<Schema.Schema.All>, whole: string): Decode<unknown> => {
  if (Option.isNone(schema)) return () => Either.right(undefined)
  const decode = Schema.decodeUnknownEither(Schema.make<unknown>(schema.value.ast), {
    errors: "all"
  })
  return (input) => Either.mapLeft(decode(input), (error) => Issues.describe(error, whole))
}

/** Callers repeat their queries, so the last few hundred are decoded once. */
const memoize = (decode: Decode<unknown>): Decode<string> => {
  const known = new Map<string, Either.Either<unknown, string>>()
  return (query) => {
    const found = known.get(query)
    if (found !== undefined) return found
    const decoded = decode(parseQuery(query))
    if (known.size >= 512) known.clear()
    if (query.length <= 256) known.set(query, decoded)
    return decoded
  }
}

/** A parameter that is given once is a string, one that is repeated an array. */
const parseQuery = (query: string): Readonly<Record<string, string | ReadonlyArray<string>>> => {
  const record: Record<string, string | Array<string>> = Object.create(null)
  // A leading "?" would be stripped; with one more, what is stripped is not the caller's.
  for (const [name, value] of new URLSearchParams(`?${query}`)) {
    const known = record[name]
    if (known === undefined) record[name] = value
    else if (typeof known === "string") record[name] = [known, value]
    else known.push(value)
  }
  return record
}
