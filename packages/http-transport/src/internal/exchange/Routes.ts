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
  const exact = new Map<string, Path<Caller>>()
  const patterns: Array<readonly [pattern: RegExp, path: Path<Caller>]> = []
  const byShape = Arr.groupBy(routes, ({ path }) => path.replaceAll(/:\w+/g, parameter))
  // Sorted, a segment that is given comes before one that may be anything.
  for (const shape of Object.keys(byShape).toSorted()) {
    const path = pathOf(byShape[shape] ?? [])
    if (shape.includes(parameter)) patterns.push([patternOf(shape), path])
    else exact.set(shape, path)
  }
  return (exchange, caller) => {
    const path = exact.get(exchange.path)
    if (path !== undefined) return path(exchange, [], caller)
    for (const [pattern, path] of patterns) {
      const [, ...values] = pattern.exec(exchange.path) ?? []
      if (values.length > 0) return path(exchange, values, caller)
    }
    return nothingHere
  }
}

/** Stands for a parameter in the shape of a path: sorted, it is the last. */
const parameter = "\uffff"

const patternOf = (shape: string): RegExp =>
  new RegExp(
    `^${shape.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(parameter, "([^/]+)")}$`
  )

/** Answers a request whose path has these segments where its route has parameters. */
type Path<Caller> = (
  exchange: Exchange,
  segments: ReadonlyArray<string>,
  caller: Caller
) => Effect.Effect<Reply.Reply, Reply.Reply>

/** Answers by method. HEAD answers as GET does, and Node leaves the body out; OPTIONS lists the methods. */
const pathOf = <Caller>(routes: ReadonlyArray<Route<Caller>>): Path<Caller> => {
  const methods = new Map(routes.map((route) => [route.method, found(route)]))
  if (methods.size < routes.length)
    throw new Error(`two endpoints answer one method of ${routes[0]?.path}`)
  const get = methods.get("GET")
  if (get !== undefined) methods.set("HEAD", get)
  const allow = allowOf([...methods.keys()])
  const options: Path<Caller> = () => Effect.succeed({ status: 204, headers: [["Allow", allow]] })
  const refuse: Path<Caller> = () =>
    Reply.fail("method_not_allowed", `this path answers ${allow}`, [["Allow", allow]])
  // As the OpenAPI document writes it.
  const route = routes[0]?.path.replaceAll(/:(\w+)/g, "{$1}")
  return (exchange, segments, caller) => {
    exchange.notes.route = route
    const { method = "" } = exchange.request
    const answer = method === "OPTIONS" ? options : (methods.get(method) ?? refuse)
    return answer(exchange, segments, caller)
  }
}

/** The handler of a route, with its parameters by their names. */
const found = <Caller>({ handle, path }: Route<Caller>): Path<Caller> => {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name)
  return (exchange, segments, caller) => {
    const parameters: Record<string, string> = {}
    for (const [nth, name] of names.entries()) parameters[name] = textOf(segments[nth] ?? "")
    return handle(exchange, parameters, caller)
  }
}

/** Escapes of characters that need none (RFC 3986). */
const needless = /%(?:2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)/i

/** What a segment says. Another spelling of a text, or of none, is no text: it stays as it is, so that a path has one spelling. */
const textOf = (segment: string): string => {
  if (!segment.includes("%") || needless.test(segment)) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
