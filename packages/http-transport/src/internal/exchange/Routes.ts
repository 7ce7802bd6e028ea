/** Exact routing; unsupported methods get 405 with Allow. */

import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { allowOf } from "../../OpenApiDocument.ts"
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

const noParameters = {}

/** The answer at a path that does not exist. */
export const nothingHere = Reply.fail("not_found", "there is nothing at this path")

/** Finds the handler of a request: unknown paths are 404, unsupported methods 405 with `Allow`. */
export const make = <Caller>(
  routes: ReadonlyArray<Route<Caller>>
): ((exchange: Exchange, caller: Caller) => Effect.Effect<Reply.Reply, Reply.Reply>) => {
  const exact = new Map<string, Handle<Caller>>()
  const patterns: Array<readonly [path: RegExp, handle: Handle<Caller>]> = []
  for (const [path, ofPath] of Object.entries(Arr.groupBy(routes, (route) => route.path))) {
    const handle = byMethod(path, ofPath)
    if (path.includes(":")) patterns.push([patternOf(path), handle])
    else exact.set(path, handle)
  }
  return (exchange, caller) => {
    const handle = exact.get(exchange.path)
    if (handle !== undefined) return handle(exchange, noParameters, caller)
    for (const [pattern, handle] of patterns) {
      const found = pattern.exec(exchange.path)
      if (found !== null) return handle(exchange, found.groups ?? noParameters, caller)
    }
    return nothingHere
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`)

/** Answers by method. HEAD answers as GET does, and Node leaves the body out; OPTIONS lists the methods. */
const byMethod = <Caller>(path: string, routes: ReadonlyArray<Route<Caller>>): Handle<Caller> => {
  const methods = new Map(routes.map((route) => [route.method, route.handle]))
  const get = methods.get("GET")
  if (get !== undefined) methods.set("HEAD", get)
  const allow = allowOf([...methods.keys()])
  methods.set("OPTIONS", () => Effect.succeed({ status: 204, headers: ["Allow", allow] }))
  const refuse = () =>
    Reply.fail("method_not_allowed", `this path answers ${allow}`, ["Allow", allow])
  // As the OpenAPI document writes it.
  const route = path.replaceAll(/:(\w+)/g, "{$1}")
  return (exchange, parameters, caller) => {
    exchange.route = route
    const handle = methods.get(exchange.request.method ?? "") ?? refuse
    return handle(exchange, parameters, caller)
  }
}
