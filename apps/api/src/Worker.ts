/** A worker: one of several processes that serve together. What it tells its parent, and what its parent tells it. */
import * as HttpListener from "@petstore/http-server/HttpListener"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Registry } from "prom-client"

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
  Schema.TaggedStruct("heartbeat", {}),
  Schema.TaggedStruct("metrics", { metrics: Schema.Array(Schema.Object) })
)
export type Message = typeof Message.Type

/** How a process serves, as one of several or alone. */
interface Service {
  /** None for a process that serves alone. */
  readonly number: number | undefined
  /** Whether no other process served before it. */
  readonly isFirst: boolean
  /** What accepts its connections. */
  readonly acceptor: HttpListener.Options["acceptor"]
  readonly ready?: (place: HttpListener.BoundAddress) => Effect.Effect<void>
  readonly publish?: (registry: Registry) => Effect.Effect<void>
}

/** The worker that this process is; without one it serves alone. */
export class Worker extends Context.Reference<Worker>()("@petstore/api/Worker", {
  defaultValue: (): Service => alone
}) {}

/** A process that is not a worker. */
export const alone: Service = {
  number: undefined,
  isFirst: true,
  acceptor: HttpListener.defaults.acceptor
}

const make = (role: Role): Service => {
  const turns: Array<() => void> = []
  let readMetrics = () => {}
  const isQuestion = Schema.is(Question)
  process.on("message", (message) => {
    if (!isQuestion(message)) return
    if (message === "heartbeat") return tell({ _tag: "heartbeat" })
    if (message === "metrics") return readMetrics()
    for (const callback of turns.splice(0)) callback()
  })
  const askFor = (_tag: "turn" | "leave") => (callback: () => void) => {
    turns.push(callback)
    tell({ _tag })
  }
  return {
    ...role,
    acceptor: { nextTurn: askFor("turn"), leave: askFor("leave") },
    ready: ({ host, url }) => Effect.sync(() => tell({ _tag: "ready", host, url })),
    publish: (registry) =>
      Effect.sync(() => {
        readMetrics = () =>
          void registry.getMetricsAsJSON().then((metrics) => tell({ _tag: "metrics", metrics }))
      })
  }
}

/** A worker that cannot tell its parent something has lost it, and ends. */
const tell = (message: Message): void =>
  void process.send?.(message, undefined, undefined, () => {})

/** The worker that this process is by its environment, or alone. */
export const current: Effect.Effect<Service> = Schema.Config(variable, Role).pipe(
  Config.map(make),
  Config.withDefault(alone),
  Effect.orDie
)
