/** The OpenAPI document, and an interactive page for it that loads nothing from elsewhere. */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { page, script, style } from "./docsPage.ts"
import * as Reply from "./Reply.ts"
import type { Route } from "./Routes.ts"

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** `/openapi.json` and `/docs`. */
export const routes = (document: unknown): ReadonlyArray<Route<void>> => {
  const openApi = Effect.succeed({
    status: 200,
    headers: [],
    body: Reply.json(JSON.stringify(document))
  })
  const docs = Effect.succeed({
    status: 200,
    headers: ["Content-Security-Policy", policy],
    body: Reply.body("text/html; charset=utf-8", page)
  })
  return [
    { method: "GET", path: "/openapi.json", handle: () => openApi },
    { method: "GET", path: "/docs", handle: () => docs }
  ]
}
