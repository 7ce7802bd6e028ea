/** The standard settings of OpenTelemetry, as far as they concern traces. */
import * as Either from "effect/Either"
import { oneOf, type Parse, text, yesOrNo } from "../cli/Parse.ts"
import { publicUrl, secret } from "../cli/Secrets.ts"
import { make, optional } from "./Setting.ts"
import { millis } from "./SettingValues.ts"

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

const rules = ["always_on", "always_off", "traceidratio"]
/** Pairs that a request can have as headers. A client that refuses one shows it with its secret. */
const headers: typeof pairs = (text) =>
  Either.flatMap(pairs(text), (found) =>
    Either.try({
      try: () => Object.fromEntries(new Headers(found)),
      catch: () => "must have names and values that headers can have: no line breaks, for example"
    })
  )

const samplers = [...rules, ...rules.map((rule) => `parentbased_${rule}`)]

const ratio: Parse<number> = (text) =>
  /^(?:0|1|0?\.[0-9]+|1\.0+|0\.)$/.test(text)
    ? Either.right(Number(text))
    : Either.left(`must be a number from 0 to 1, not "${text}"`)

/** The settings. Traces are exported if there is an endpoint. */
export const tracing = {
  otlpEndpoint: optional("OTEL_EXPORTER_OTLP_ENDPOINT", "no traces", url, {
    about: "the base URL of a collector, to which `/v1/traces` is added",
    shown: publicUrl
  }),
  otlpTracesEndpoint: optional("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "no traces", url, {
    about: "the full URL for traces; overrides the base URL",
    shown: publicUrl
  }),
  otlpHeaders: optional("OTEL_EXPORTER_OTLP_HEADERS", "none", headers, {
    about: "headers for the collector, as `name=value`, comma-separated",
    shown: secret
  }),
  otlpProtocol: make(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "http/protobuf",
    oneOf(["http/protobuf", "http/json"] as const),
    { about: "the encoding of traces: http/protobuf or http/json" }
  ),
  otlpTimeout: make("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000, millis(1), {
    about: "time limit for an export, in milliseconds"
  }),
  traceExporter: make("OTEL_TRACES_EXPORTER", "otlp", oneOf(["otlp", "none"] as const), {
    about: "otlp, or none for no traces"
  }),
  sampler: make("OTEL_TRACES_SAMPLER", "parentbased_always_on", oneOf(samplers), {
    about:
      "which requests are traced: `always_on`, `always_off` or `traceidratio`, alone or after `parentbased_`"
  }),
  samplerRatio: make("OTEL_TRACES_SAMPLER_ARG", 1, ratio, {
    about: "the share of requests that a sampler by ratio traces"
  }),
  serviceName: optional("OTEL_SERVICE_NAME", "petstore", text, {
    about: "the service's name in traces"
  }),
  resourceAttributes: optional("OTEL_RESOURCE_ATTRIBUTES", "none", pairs, {
    about: "attributes of the service in traces, as `name=value`, comma-separated"
  }),
  exportInterval: make("OTEL_BSP_SCHEDULE_DELAY", 5000, millis(10), {
    about: "time between exports, in milliseconds"
  }),
  isTelemetryDisabled: make("OTEL_SDK_DISABLED", "false", yesOrNo, { about: "true for no traces" })
}
