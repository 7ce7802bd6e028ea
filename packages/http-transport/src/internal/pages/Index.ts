/** `/`: an index as JSON; browsers get to the docs. */
import * as Effect from "effect/Effect"
import * as Reply from "../exchange/Reply.ts"
import * as Routes from "../exchange/Routes.ts"

/**
 * The index, with links that start with the path before the version's prefix, `/shop` of `/shop/v1`. Resources are named
 * after the last part of their paths.
 */
export const route = (
  { title, version }: { readonly title: string; readonly version: string },
  { basePath, prefix }: { readonly basePath: string; readonly prefix: string },
  endpoints: ReadonlyArray<{ readonly method: string; readonly path: string }>
): Routes.Route<void> => {
  const root = basePath.slice(0, -prefix.length)
  const resources = endpoints
    .filter(({ method, path }) => method === "GET" && !path.includes(":"))
    .map(({ path }) => [path.split("/").at(-1), `${basePath}${path.slice(prefix.length)}`])
  const links = {
    docs: `${root}/docs`,
    openapi: `${root}/openapi.json`,
    health: `${root}/healthz`,
    readiness: `${root}/readyz`,
    ...Object.fromEntries(resources)
  }
  const body = Reply.json(JSON.stringify({ name: title, version, links }))
  const vary: Reply.Headers = [["Vary", "Accept"]]
  const index = Effect.succeed({ status: 200, headers: vary, body })
  const headers: Reply.Headers = [["Location", links.docs], ...vary]
  const toDocs = Effect.succeed({ status: 303, headers, body })
  return Routes.get("/", ({ request }) =>
    html.test(request.headers.accept ?? "") ? toDocs : index
  )
}

/** Browsers begin with this type; no program asks for it that wants JSON. */
const html = /^text\/html\b/i
