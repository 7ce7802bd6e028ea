/** The service as the fake has it: keys, paths and methods. */
import type { NewPet } from "../Pet.ts"
import { answer, refuse } from "./FakeAnswer.ts"
import { makePets } from "./FakePets.ts"
import { type Route, type Scope, scopes } from "./FakeRequest.ts"

/** What the fake has and accepts. */
export interface Contents {
  /** Pets that are there at first; their ids are 1, 2, and so on. */
  readonly pets?: ReadonlyArray<NewPet> | undefined
  /** The keys that are accepted, and what each may do; by default any key, which may do all. */
  readonly apiKeys?: Readonly<Record<string, ReadonlyArray<Scope>>> | undefined
}

/** Answers requests as the service does; `root` is the path of the API, such as `/v1`. */
export const makeService = (root: string, { apiKeys, pets = [] }: Contents) => {
  const routes: ReadonlyArray<Route> = [
    ...makePets(root, pets),
    [/^\/(?:healthz|readyz)$/, { GET: [undefined, () => answer(200, '{"status":"ok"}')] }]
  ]
  const granted = new Map(Object.entries(apiKeys ?? {}))
  const prefix = root.slice(0, -"/v1".length)

  return async (request: Request): Promise<Response> => {
    const { pathname, searchParams: query } = new URL(request.url)
    const path = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : ""
    const [, apiKey = ""] =
      /^bearer +([^\s,]+)$/i.exec(request.headers.get("authorization") ?? "") ?? []
    const grant = apiKeys === undefined ? scopes : granted.get(apiKey)
    if (/^\/v1(\/|$)/.test(path)) {
      if (apiKey === "")
        return unauthorized("an API key is required: send the header Authorization: Bearer <key>")
      if (grant === undefined)
        return unauthorized("the API key is not valid", ', error="invalid_token"')
    }
    const [pattern, methods = {}] = routes.find(([pattern]) => pattern.test(path)) ?? []
    if (pattern === undefined) return refuse("not_found", "there is nothing at this path")
    const allow = Object.keys(methods).concat("OPTIONS").join(", ").replace("GET", "GET, HEAD")
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } })
    const [scope, handle] = methods[request.method === "HEAD" ? "GET" : request.method] ?? []
    if (handle === undefined)
      return refuse("method_not_allowed", `this path answers ${allow}`, { allow })
    if (scope !== undefined && !grant?.includes(scope)) {
      const why = `${challenge}, error="insufficient_scope", scope="${scope}"`
      return refuse("forbidden", `the API key lacks the scope ${scope}`, {
        "www-authenticate": why
      })
    }
    return handle({ request, query, apiKey, id: pattern.exec(path)?.[1] ?? "" })
  }
}

const challenge = 'Bearer realm="petstore"'

const unauthorized = (message: string, error = "") =>
  refuse("unauthorized", message, { "www-authenticate": challenge + error })
