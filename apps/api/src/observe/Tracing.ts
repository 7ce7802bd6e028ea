/** Traces for OpenTelemetry. Loaded only if there is a collector to send them to. */
import { randomUUID } from "node:crypto"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as HttpClient from "@effect/platform/HttpClient"
import * as ClientAddress from "@petstore/http-transport/ClientAddress"
import * as Observer from "@petstore/http-transport/Observer"
import type * as Port from "@petstore/kernel/Port"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type * as Tracer from "effect/Tracer"
import type { AppConfig } from "../settings/AppConfig.ts"
import type { tracing } from "../settings/TracingSettings.ts"
import { version } from "../version.ts"
import * as Collector from "./Collector.ts"
import type { Mask } from "./Mask.ts"
import * as OtlpEncoding from "./OtlpEncoding.ts"
import * as TraceParent from "./TraceParent.ts"

export type Options = Pick<AppConfig, keyof typeof tracing | "trustedHops">

const maxInABatch = 512

/** Traces requests, use cases and operations of the store. The URL is where traces go, as a whole. */
export const make = (options: Options, url: string, mask: Mask) =>
  Effect.gen(function* () {
    const collector = yield* Collector.make(options.otlpTimeout)
    const {
      "service.name": namedAs = "petstore",
      "service.version": versionedAs = version,
      ...attributes
    } = options.resourceAttributes ?? {}
    const tracer = yield* OtlpTracer.make({
      url,
      resource: {
        serviceName: options.serviceName ?? namedAs,
        serviceVersion: versionedAs,
        // Tells processes apart.
        attributes: { "service.instance.id": randomUUID(), ...attributes }
      },
      headers: options.otlpHeaders,
      exportInterval: options.exportInterval,
      maxBatchSize: maxInABatch,
      shutdownTimeout: "1 second"
    }).pipe(
      Effect.provideService(HttpClient.HttpClient, collector.client),
      Effect.provide(OtlpEncoding.layer(options.otlpProtocol)),
      // The exporter would read the variables again, in its own way.
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
    )
    const clock = yield* Effect.clock
    const isSampled = samplerOf(options)
    const addressOf = ClientAddress.make(options.trustedHops)
    const spans = new WeakMap<object, Tracer.Span>()

    const observer: Observer.Observer = {
      around: (handler) => (exchange) => {
        // While the collector is behind, requests are not traced, so that memory stays bounded.
        if (Observer.isProbe(exchange) || collector.isBehind()) return handler(exchange)
        const { request } = exchange
        const parent = TraceParent.parse(request)
        const span = tracer.span(
          request.method ?? "",
          Option.fromNullable(parent),
          Context.empty(),
          [],
          clock.unsafeCurrentTimeNanos(),
          "server"
        )
        // A span that does not end is not exported.
        if (!isSampled(span.traceId, parent)) return handler(exchange)
        exchange.notes.traceId = span.traceId
        spans.set(exchange, span)
        return Effect.suspend(() => handler(exchange)).pipe(
          Effect.withParentSpan(span),
          Effect.withTracer(tracer)
        )
      },
      onAnswer: (exchange, reply) => {
        const span = spans.get(exchange)
        if (span === undefined) return
        describe(span, exchange, reply, addressOf(exchange), mask)
        span.end(
          clock.unsafeCurrentTimeNanos(),
          reply.status >= 500 ? Exit.fail(reply.cause ?? `status ${reply.status}`) : Exit.void
        )
      }
    }
    return { observer, decorator: traceAs }
  })

/** Whether a trace is exported, as OpenTelemetry's samplers decide it: by its parent's decision if the sampler asks for it, or by its id. */
const samplerOf = ({ sampler, samplerRatio }: Options) => {
  const [, ofParent, rule = ""] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  const rate = { always_on: 1, always_off: 0 }[rule] ?? samplerRatio
  return (traceId: string, parent: Tracer.ExternalSpan | undefined): boolean =>
    parent !== undefined && ofParent !== undefined ? parent.sampled : shareOf(traceId) < rate
}

/** From 0 to 1, by the lower 64 bits of the id, as in the SDKs of other languages, so that services agree. */
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(16, 29), 16) / 2 ** 52

/** By the semantic conventions for HTTP servers, and the parameters of the query each. */
const describe = (
  span: Tracer.Span,
  exchange: Observer.Exchange,
  reply: Observer.Reply,
  clientAddress: string,
  mask: Mask
) => {
  const { notes, path, query, request } = exchange
  const { status } = reply
  const parameters = Record.mapKeys(Observer.parametersOf(notes), (name) => `petstore.${name}`)
  const { headers, httpVersion, method = "", socket } = request
  const isKnown = methods.includes(method)
  // The route is known by now, but Effect's spans cannot be renamed.
  Object.assign(span, { name: [isKnown ? method : "HTTP", notes.route].filter(Boolean).join(" ") })
  const attributes = {
    "http.request.method": isKnown ? method : "_OTHER",
    "http.request.method_original": isKnown ? undefined : method,
    "http.route": notes.route,
    "http.response.status_code": status,
    "http.response.body.size": Observer.bodyBytesOf(exchange, reply),
    "url.scheme": "http",
    "url.path": path,
    "url.query": query || undefined,
    "server.address": headers.host?.replace(/:[0-9]*$/, ""),
    "server.port": socket.localPort,
    "client.address": clientAddress,
    "network.protocol.version": httpVersion,
    "user_agent.original": headers["user-agent"],
    "error.type": status >= 500 ? String(status) : undefined,
    ...parameters
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue
    span.attribute(name, typeof value === "string" ? mask(value) : value)
  }
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

/** Only traced requests run in a fiber; for others there is no span to be a part of. */
const isTraced = () => Option.isSome(Fiber.getCurrentFiber())

/**
 * Each method of a port in a span. Whatever a store answers is not an error of the span, such as that a pet does not exist,
 * unless the store is unavailable.
 */
const traceAs =
  (port: string): Port.Decorator =>
  (effect, name) =>
    isTraced()
      ? Effect.map(effect, Either.right).pipe(
          Effect.catchIf(
            (error) => !(error instanceof StoreUnavailable),
            (error) => Effect.succeed(Either.left(error))
          ),
          Effect.withSpan(`${port}.${name}`, { captureStackTrace: false }),
          Effect.flatten
        )
      : effect
