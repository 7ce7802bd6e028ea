/** Encodes traces for OTLP. */
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** What is read here of the exporter's data. */
interface TraceData {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}

interface Span {
  status: { readonly code: number }
  attributes: ReadonlyArray<{ readonly key: string }>
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

/** The encoding of this name. */
export const layer = (
  protocol: "http/protobuf" | "http/json"
): Layer.Layer<OtlpSerialization.OtlpSerialization> =>
  Layer.map(
    protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
    (context) => {
      const encoding = Context.get(context, OtlpSerialization.OtlpSerialization)
      const { OtlpSerialization: Tag } = OtlpSerialization
      return Context.make(Tag, {
        ...encoding,
        // The exporter does not type what it passes.
        traces: (data) => encoding.traces(correct(data as TraceData))
      })
    }
  )
