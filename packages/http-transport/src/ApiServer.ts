/** Any API over HTTP: its contract compiled into routes and served. */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Direct from "@petstore/kernel/Direct"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import { Authentication, type Caller } from "./Authentication.ts"
import type { Handlers } from "./Handlers.ts"
import { HttpListener } from "./HttpListener.ts"
import * as BearerToken from "./internal/api/BearerToken.ts"
import * as Cors from "./internal/api/Cors.ts"
import * as Endpoint from "./internal/api/Endpoint.ts"
import * as RateLimit from "./internal/api/RateLimit.ts"
import type { Handler } from "./internal/exchange/RequestRunner.ts"
import * as Routes from "./internal/exchange/Routes.ts"
import * as Docs from "./internal/pages/Docs.ts"
import * as Health from "./internal/pages/Health.ts"
import * as Index from "./internal/pages/Index.ts"
import type { ListenFailed } from "./NodeServer.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"

export type { Limit } from "./internal/api/RateLimit.ts"

/** What the OpenAPI document names, and limits. */
export interface Options extends Endpoint.Options, RateLimit.Options {
  /** The servers that the OpenAPI document names; this one at the base path unless given. */
  readonly servers?: ReadonlyArray<OpenApiDocument.Server> | undefined
  /** The origins of web pages that may call the service; `*` for all. */
  readonly corsOrigins: ReadonlyArray<string>
}

/** The default options of an API with this prefix. */
export const defaultsOf = (prefix: string): Options => ({
  basePath: prefix,
  maxBodyBytes: 65_536,
  corsOrigins: [],
  trustedHops: 0
})

/** An API, its handlers, and what they need. */
export interface Api<Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2>
  extends Omit<OpenApiDocument.Options<string, Groups, E, unknown>, keyof Options>,
    Options {
  /** One handler for each endpoint. */
  readonly handlers: Effect.Effect<Handlers<Groups>, E2, R2>
  /** Succeeds if the service can do its work: `/readyz` asks. */
  readonly ready?: Effect.Effect<unknown, unknown, R2>
}

/** Serves an API on the listener, until its scope closes. */
export const layer = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2>(
  api: Api<Groups, E, E2, R2>
): Layer.Layer<never, ListenFailed | E2, R2 | Authentication | HttpListener> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const listener = yield* HttpListener
      yield* listener.serve(yield* make(api, listener.isStopping))
    })
  )

/**
 * The handler of all requests to an API.
 * @internal
 */
export const make = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2>(
  api: Api<Groups, E, E2, R2>,
  isStopping: () => boolean
): Effect.Effect<Handler, E2, R2 | Authentication> =>
  Effect.gen(function* () {
    const { prefix, ready = Effect.void } = api
    const authentication = yield* Authentication
    const clock = yield* Effect.clock
    const document = OpenApiDocument.make(api)
    const endpoints = compile(api, yield* api.handlers, clock)
    const operations = Routes.make(endpoints)
    const probe = Effect.provide(ready, yield* Effect.context<R2>())
    const others = Routes.make([
      Index.route(document.info, api, endpoints),
      ...Health.routes(probe, authentication.isReady, isStopping),
      ...(yield* Docs.make(document, prefix))
    ])
    const methods = endpoints.map(({ method }) => method)
    const answerPreflight = Cors.make(api.corsOrigins, ["GET", "HEAD", ...methods])
    const authenticate = BearerToken.make(authentication, api.realm)
    const limit = RateLimit.make(api, clock)
    return (exchange) => {
      const preflight = answerPreflight(exchange)
      if (preflight !== undefined) return Effect.succeed(preflight)
      if (exchange.notes.isShed) return Health.overloaded(exchange)
      if (exchange.path !== prefix && !exchange.path.startsWith(`${prefix}/`))
        return others(exchange)
      const found = Direct.mapBoth(authenticate(exchange), {
        onFailure: (refusal) => limit(exchange) ?? refusal,
        onSuccess: identity<Caller>
      })
      return Direct.flatMap(found, (caller) => {
        const refusal = limit(exchange, caller)
        return refusal === undefined ? operations(exchange, caller) : Exit.fail(refusal)
      })
    }
  })

const compile = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, E2, R2>(
  options: Api<Groups, E, E2, R2>,
  handlers: Handlers<Groups>,
  clock: Clock.Clock
): ReadonlyArray<Routes.Route<Caller>> => {
  const routes: Array<Routes.Route<Caller>> = []
  const known = new Map(Object.entries<Endpoint.AnyHandler>(handlers))
  HttpApi.reflect(options.api, {
    onGroup: () => {},
    onEndpoint: (reflected) => {
      const { name } = reflected.endpoint
      const handler = known.get(name)
      if (handler === undefined) throw new Error(`there is no handler for ${name}`)
      routes.push(Endpoint.compile(reflected, handler, options, clock))
    }
  })
  return routes
}
