/** `/`: an index as JSON; browsers get to the docs. */
import * as Effect from "effect/Effect"
import * as QualityValues from "../exchange/QualityValues.ts"
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
    prefersHtml(request.headers.accept ?? "") ? toDocs : index
  )
}

const prefersHtml = (accept: string): boolean => {
  const qualities = QualityValues.parse(accept)
  return qualityOf("text/html", qualities) > qualityOf("application/json", qualities)
}

/** The quality of a media type: that of the most specific range. */
const qualityOf = (type: string, qualities: ReadonlyMap<string, number>): number => {
  const [family] = type.split("/")
  return qualities.get(type) ?? qualities.get(`${family}/*`) ?? qualities.get("*/*") ?? 0
}
