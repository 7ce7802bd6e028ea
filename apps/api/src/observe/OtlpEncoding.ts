/** Encodes traces for OTLP. */
import {
  layerJson,
  layerProtobuf,
  OtlpSerialization
} from "@effect/opentelemetry/OtlpSerialization"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What is read here of the exporter's data. */
interface TraceData {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<{
        status: { readonly code: number }
        attributes: ReadonlyArray<{ readonly key: string }>
      }>
    }>
  }>
}

const unset = { code: 0 }
const ok = 1
const wrong = ["span.label", "status.interrupted"]

/** The exporter marks every span as ok or interrupted; by the conventions only errors have a status. */
const correct = (data: TraceData): TraceData => {
  for (const { scopeSpans } of data.resourceSpans) {
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      if (span.status.code === ok) span.status = unset
      span.attributes = span.attributes.filter(({ key }) => !wrong.includes(key))
    }
  }
  return data
}

export const layer = (protocol: "http/protobuf" | "http/json"): Layer.Layer<OtlpSerialization> =>
  Layer.effect(
    OtlpSerialization,
    Effect.map(OtlpSerialization, (encoding) => ({
      ...encoding,
      // The exporter does not type what it passes.
      traces: (data) => encoding.traces(correct(data as TraceData))
    }))
  ).pipe(Layer.provide(protocol === "http/json" ? layerJson : layerProtobuf))
