/** The messages between a parent and its workers. */
import * as Schema from "effect/Schema"

/** What a parent tells a worker when it starts it. */
export const Role = Schema.parseJson(
  Schema.Struct({
    /** From 1. The worker that replaces it has the same. */
    number: Schema.Number,
    /** Whether no worker was ready before. */
    isFirst: Schema.Boolean
  })
)
export type Role = typeof Role.Type

/** The environment variable with the role of a worker. */
export const variable = "PETSTORE_WORKER"

/** What a parent asks of a worker, which answers with the message of that name, or has asked for it. */
export const Question = Schema.Literal("turn", "metrics", "heartbeat")
export type Question = typeof Question.Type

/** What a worker tells its parent. */
export const Message = Schema.Union(
  /** It serves, at this place. */
  Schema.TaggedStruct("ready", { host: Schema.String, url: Schema.String }),
  /** It asks for an answer, which takes a turn of the parent's event loop. */
  Schema.TaggedStruct("turn", {}),
  /** The same, once the parent has handed over its last connection. */
  Schema.TaggedStruct("leave", {}),
  /** It answers. */
  Schema.TaggedStruct("heartbeat", {}),
  /** The metrics of its registry. */
  Schema.TaggedStruct("metrics", { metrics: Schema.Array(Schema.Object) })
)
export type Message = typeof Message.Type
