/** The side of a worker: what it tells its parent. */
import type { BoundAddress } from "@petstore/http-server/HttpListener"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Registry } from "prom-client"
import { type Message, Question, Role, variable } from "./Message.ts"

/** A worker. */
export type Worker = ReturnType<typeof make>

const make = (role: Role) => {
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
    /** The parent, which accepts the connections. */
    acceptor: { nextTurn: askFor("turn"), leave: askFor("leave") },
    /** Tells the parent that it serves. */
    ready: ({ host, url }: BoundAddress) => Effect.sync(() => tell({ _tag: "ready", host, url })),
    /** Gives the parent its metrics. */
    publish: (registry: Registry) =>
      Effect.sync(() => {
        readMetrics = () =>
          void registry.getMetricsAsJSON().then((metrics) => tell({ _tag: "metrics", metrics }))
      })
  }
}

/** A worker that cannot tell its parent something has lost it, and ends. */
const tell = (message: Message): void =>
  void process.send?.(message, undefined, undefined, () => {})

/** The worker that this process is, if it is one. */
export const current: Effect.Effect<Worker | undefined> = Schema.Config(variable, Role).pipe(
  Config.map(make),
  Config.withDefault(undefined),
  Effect.orDie
)
