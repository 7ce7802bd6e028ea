/** The standard settings of OpenTelemetry, as far as they concern traces. */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import { oneOf, type Parse, text, wholeNumber, yesOrNo } from "./Parse.ts"
import { make, optional, publicUrl, secret } from "./Setting.ts"

const url: Parse<string> = (text) =>
  /^https?:\/\/[^@]+$/.test(text) && URL.canParse(text)
    ? Either.right(text)
    : Either.left(
        `must be a URL such as http://collector:4318, without a password, not "${publicUrl(text)}"`
      )

/** `name=value` pairs, comma-separated, their values percent-encoded. */
const pairs: Parse<Readonly<Record<string, string>>> = (text) => {
  const found = text.split(",").map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair))
  return Either.try({
    try: () =>
      Object.fromEntries(
        found.map((match) => {
          if (match === null) throw new Error("no pair")
          return [match[1] ?? "", decodeURIComponent(match[2]?.trim() ?? "")]
        })
      ),
    catch: () => "must be comma-separated pairs such as name=value"
  })
}

const samplers = [
  ...(["always_on", "always_off", "traceidratio"] as const),
  ...(["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"] as const)
]

const ratio: Parse<number> = (text) =>
  /^(?:0|1|0?\.[0-9]+|1\.0+|0\.)$/.test(text)
    ? Either.right(Number(text))
    : Either.left(`must be a number from 0 to 1, not "${text}"`)

/** The settings. Traces are exported if there is an endpoint. */
export const tracing = {
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "the base URL of an OpenTelemetry collector; traces go to `/v1/traces` below it",
    "no traces",
    url,
    publicUrl
  ),
  otlpTracesEndpoint: optional(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "the whole URL for traces, instead",
    "no traces",
    url,
    publicUrl
  ),
  otlpHeaders: optional(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "headers for the collector, as `name=value`, comma-separated",
    "none",
    pairs,
    secret
  ),
  otlpProtocol: make(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "the encoding of traces: http/protobuf or http/json",
    "http/protobuf",
    oneOf(["http/protobuf", "http/json"] as const)
  ),
  otlpTimeout: make(
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "time limit for an export, in milliseconds",
    "10000",
    (text) => Either.map(wholeNumber(1, 600_000)(text), Duration.millis)
  ),
  traceExporter: make(
    "OTEL_TRACES_EXPORTER",
    "otlp, or none for no traces",
    "otlp",
    oneOf(["otlp", "none"] as const)
  ),
  sampler: make(
    "OTEL_TRACES_SAMPLER",
    `which requests are traced: ${samplers.join(", ")}`,
    "parentbased_always_on",
    oneOf(samplers)
  ),
  samplerRatio: make(
    "OTEL_TRACES_SAMPLER_ARG",
    "the share of requests that a sampler by ratio traces",
    "1",
    ratio
  ),
  serviceName: optional(
    "OTEL_SERVICE_NAME",
    "the service's name in traces; `service.name` among its attributes otherwise",
    "petstore",
    text
  ),
  resourceAttributes: optional(
    "OTEL_RESOURCE_ATTRIBUTES",
    "attributes of the service in traces, as `name=value`, comma-separated",
    "none",
    pairs
  ),
  exportInterval: make(
    "OTEL_BSP_SCHEDULE_DELAY",
    "time between exports, in milliseconds",
    "5000",
    (text) => Either.map(wholeNumber(10, 600_000)(text), Duration.millis)
  ),
  isTelemetryDisabled: make("OTEL_SDK_DISABLED", "true for no traces", "false", yesOrNo)
}
