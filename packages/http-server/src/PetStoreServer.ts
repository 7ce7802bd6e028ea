/** The Pet Store over HTTP: the contract compiled into routes and served. */
import * as HttpApi from "@effect/platform/HttpApi"
import type { Grant } from "@petstore/access/ApiKey"
import { ApiKeys } from "@petstore/access/ApiKeys"
import { Pets } from "@petstore/domain/Pets"
import type { UseCases } from "@petstore/domain/UseCases"
import * as OpenApiDocument from "@petstore/http-contract/OpenApiDocument"
import { PetStoreApi, prefix } from "@petstore/http-contract/PetStoreApi"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Handlers from "./Handlers.ts"
import { HttpListener } from "./HttpListener.ts"
import * as Authentication from "./internal/Authentication.ts"
import * as Cors from "./internal/Cors.ts"
import * as Docs from "./internal/Docs.ts"
import * as Endpoint from "./internal/Endpoint.ts"
import * as Health from "./internal/Health.ts"
import * as Index from "./internal/Index.ts"
import * as RateLimit from "./internal/RateLimit.ts"
import type { Handler } from "./internal/RequestRunner.ts"
import * as Routes from "./internal/Routes.ts"
import type { ListenFailed } from "./ListenFailed.ts"

export type { Limit } from "./internal/RateLimit.ts"

/** What the OpenAPI document names, and limits. */
export interface Options extends Endpoint.Options, RateLimit.Options {
  /** The servers that the OpenAPI document names. */
  readonly servers: ReadonlyArray<OpenApiDocument.Server>
  /** The origins of web pages that may call the service; `*` for all. */
  readonly corsOrigins: ReadonlyArray<string>
}

/** The default options. */
export const defaults: Options = {
  servers: [{ url: prefix, description: "This server" }],
  basePath: prefix,
  maxBodyBytes: 65_536,
  corsOrigins: [],
  trustedHops: 0
}

/** Serves the Pet Store on the listener, until its scope closes. */
export const layer = (
  options: Options
): Layer.Layer<never, ListenFailed, UseCases | ApiKeys | HttpListener> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const listener = yield* HttpListener
      yield* listener.serve(yield* make(options, listener.isStopping))
    })
  )

const make = (
  options: Options,
  isStopping: () => boolean
): Effect.Effect<Handler, never, UseCases | ApiKeys> =>
  Effect.gen(function* () {
    const apiKeys = yield* ApiKeys
    const clock = yield* Effect.clock
    const endpoints = compile(yield* Handlers.make(options.basePath), options, clock)
    const operations = Routes.make(endpoints)
    const others = Routes.make([
      Index.route(options.basePath),
      ...Health.routes(yield* Pets, apiKeys, isStopping),
      ...(yield* Docs.make(OpenApiDocument.make(options)))
    ])
    const methods = endpoints.map(({ method }) => method)
    const answerPreflight = Cors.make(options.corsOrigins, ["GET", "HEAD", ...methods])
    const limit = RateLimit.make(options, clock)
    return (exchange) => {
      const preflight = answerPreflight(exchange)
      if (preflight !== undefined) return Effect.succeed(preflight)
      if (exchange.isShed) return Health.overloaded(exchange)
      if (exchange.path !== prefix && !exchange.path.startsWith(`${prefix}/`))
        return others(exchange)
      const key = Authentication.authenticate(apiKeys, exchange)
      const refusal = limit(exchange, key)
      if (refusal !== undefined) return Effect.fail(refusal)
      return Either.isLeft(key) ? Effect.fail(key.left) : operations(exchange, key.right)
    }
  })

const compile = (
  handlers: Handlers.Handlers,
  options: Endpoint.Options,
  clock: Clock.Clock
): ReadonlyArray<Routes.Route<Grant>> => {
  const routes: Array<Routes.Route<Grant>> = []
  const known: Readonly<Record<string, Parameters<typeof Endpoint.compile>[1]>> = handlers
  HttpApi.reflect(PetStoreApi, {
    onGroup: () => {},
    onEndpoint: (reflected) => {
      const handler = known[reflected.endpoint.name]
      if (handler === undefined) throw new Error(`no handler for ${reflected.endpoint.name}`)
      routes.push(Endpoint.compile(reflected, handler, options, clock))
    }
  })
  return routes
}
