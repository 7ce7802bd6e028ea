/** A collector of traces: receives and decodes what OpenTelemetry exporters send over HTTP. */
import { readFileSync } from "node:fs"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { Effect, Schema } from "effect"
import protobuf from "protobufjs"
import { stranger } from "./Service.ts"

// Numbers of 64 bits are strings in JSON, or numbers.
const Long = Schema.Union(Schema.String, Schema.Number)

const Value = Schema.Struct({
  stringValue: Schema.optional(Schema.String),
  intValue: Schema.optional(
    Schema.transform(Long, Schema.Number, { decode: Number, encode: String })
  ),
  doubleValue: Schema.optional(Schema.Number),
  boolValue: Schema.optional(Schema.Boolean)
})

const Attributes = Schema.Array(Schema.Struct({ key: Schema.String, value: Value }))

const Span = Schema.Struct({
  traceId: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{32}$/)),
  spanId: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{16}$/)),
  parentSpanId: Schema.optional(Schema.String.pipe(Schema.pattern(/^[0-9a-f]{16}$/))),
  name: Schema.String,
  kind: Schema.Number,
  startTimeUnixNano: Schema.compose(Schema.String, Schema.BigInt),
  endTimeUnixNano: Schema.compose(Schema.String, Schema.BigInt),
  attributes: Attributes,
  events: Schema.Array(Schema.Struct({ name: Schema.String, attributes: Attributes })),
  status: Schema.Struct({
    code: Schema.optionalWith(Schema.Number, { default: () => 0 }),
    message: Schema.optional(Schema.String)
  })
})

const Traces = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: Attributes }),
      scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
    })
  )
})

const decode = Schema.decodeUnknownSync(Traces)

const proto = readFileSync(new URL("./trace.proto", import.meta.url), "utf8")
const message = protobuf.parse(proto).root.lookupType("ExportTraceServiceRequest")

/** The message as OTLP writes it in JSON, where ids are hexadecimal. */
const fromProtobuf = (bytes: Buffer): unknown => {
  const object = message.toObject(message.decode(bytes), { longs: String, arrays: true })
  const text = JSON.stringify(object, (name, value) =>
    /^(?:trace|span|parentSpan)Id$/.test(name) ? Buffer.from(value).toString("hex") : value
  )
  return JSON.parse(text)
}

/** Attributes by name. Throws if one is there twice. */
const recordOf = (attributes: typeof Attributes.Type) => {
  const names = attributes.map(({ key }) => key)
  if (new Set(names).size < names.length) throw new Error(`twice: ${names.join()}`)
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value).find((one) => one !== undefined)])
  )
}

/** One request of an exporter. */
export interface Export {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly resource: Readonly<Record<string, unknown>>
  readonly spans: ReadonlyArray<ReturnType<typeof readable>>
}

const readable = (span: typeof Span.Type) => ({
  ...span,
  attributes: recordOf(span.attributes),
  events: span.events.map(({ attributes, name }) => ({ name, attributes: recordOf(attributes) }))
})

/** A collector that answers like this, and what it has received. */
export const collector = (answer = (response: ServerResponse): unknown => response.end()) =>
  Effect.gen(function* () {
    const exports: Array<Export> = []
    const errors: Array<unknown> = []
    const url = yield* stranger(async (request, response) => {
      try {
        const { headers, url = "" } = request
        const bytes = await buffer(request)
        const isJson = headers["content-type"] === "application/json"
        if (!isJson && headers["content-type"] !== "application/x-protobuf") {
          throw new Error(`unexpected type ${headers["content-type"]}`)
        }
        const traces = decode(isJson ? JSON.parse(String(bytes)) : fromProtobuf(bytes))
        for (const { resource, scopeSpans } of traces.resourceSpans) {
          exports.push({
            path: url,
            headers,
            resource: recordOf(resource.attributes),
            spans: scopeSpans.flatMap(({ spans }) => spans.map(readable))
          })
        }
      } catch (error) {
        errors.push(error)
      }
      answer(response)
    })
    /** All spans so far. Fails if something could not be decoded. */
    const spans = Effect.sync(() => {
      if (errors.length > 0) throw errors[0]
      return exports.flatMap((one) => one.spans)
    })
    return { url, exports, spans }
  })
