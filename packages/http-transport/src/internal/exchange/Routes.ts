/** Exact routing; unsupported methods get 405 with Allow. */

import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { allowOf } from "../contract/Allow.ts"
import type { Exchange } from "./Exchange.ts"
import * as Reply from "./Reply.ts"

/** The values of a path's `:name` segments in a request. */
type Parameters = Readonly<Record<string, string>>

/** Answers a request of an authenticated caller, or of any. */
export type Handle<Caller> = (
  exchange: Exchange,
  parameters: Parameters,
  caller: Caller
) => Effect.Effect<Reply.Reply, Reply.Reply>

/** A method of a path and its handler. `:name` in the path stands for one segment. */
export interface Route<Caller> {
  readonly method: string
  readonly path: string
  readonly handle: Handle<Caller>
}

/** A route that any caller may GET. */
export const get = (path: string, handle: Handle<void>): Route<void> => ({
  method: "GET",
  path,
  handle
})

/** The answer at a path that does not exist. */
export const nothingHere = Reply.fail("not_found", "there is nothing at this path")

/** Finds the handler of a request: unknown paths are 404, unsupported methods 405 with `Allow`. */
export const make = <Caller>(
  routes: ReadonlyArray<Route<Caller>>
): ((exchange: Exchange, caller: Caller) => Effect.Effect<Reply.Reply, Reply.Reply>) => {
  const exact = new Map<string, Handle<Caller>>()
  const patterns: Array<readonly [pattern: RegExp, handle: Handle<Caller>]> = []
  for (const [path, ofPath] of Object.entries(Arr.groupBy(routes, ({ path }) => path))) {
    const handle = byMethod(path, ofPath)
    // Segments are not decoded: a path has one spelling.
    if (path.includes(":"))
      patterns.push([new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`), handle])
    else exact.set(path, handle)
  }
  return (exchange, caller) => {
    const handle = exact.get(exchange.path)
    if (handle !== undefined) return handle(exchange, none, caller)
    for (const [pattern, handle] of patterns) {
      const parameters = pattern.exec(exchange.path)?.groups
      if (parameters !== undefined) return handle(exchange, parameters, caller)
    }
    return nothingHere
  }
}

const none: Parameters = {}

/** Answers by method. HEAD answers as GET does, and Node leaves the body out; OPTIONS lists the methods. */
const byMethod = <Caller>(path: string, routes: ReadonlyArray<Route<Caller>>): Handle<Caller> => {
  const methods = new Map(routes.map(({ handle, method }) => [method, handle]))
  const get = methods.get("GET")
  if (get !== undefined) methods.set("HEAD", get)
  const allow = allowOf([...methods.keys()])
  const options = Effect.succeed<Reply.Reply>({ status: 204, headers: [["Allow", allow]] })
  const refusal = Reply.fail("method_not_allowed", `this path answers ${allow}`, [["Allow", allow]])
  methods.set("OPTIONS", () => options)
  // As the OpenAPI document writes it.
  const route = path.replaceAll(/:(\w+)/g, "{$1}")
  return (exchange, parameters, caller) => {
    exchange.notes.route = route
    const handle = methods.get(exchange.request.method ?? "")
    return handle === undefined ? refusal : handle(exchange, parameters, caller)
  }
}
