/** The OpenAPI document, an interactive page for it that loads nothing from elsewhere, and a text for language models. */
import type * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Routes from "../exchange/Routes.ts"
import * as DocsFiles from "./DocsFiles.ts"
import * as Markdown from "./Markdown.ts"
import * as StaticContent from "./StaticContent.ts"

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

// The build puts the files of the page beside this module, wherever it is bundled.
const beside = new URL("docs/", import.meta.url)

/** What the pages show of the document. */
interface Document {
  readonly info: Pick<OpenApi.OpenAPISpecInfo, "title" | "summary" | "description">
  readonly paths: OpenApi.OpenAPISpec["paths"]
}

/** `/openapi.json`, `/llms.txt`, `/docs` and the files of the page. */
export const make = (
  document: Document,
  prefix: string,
  folder: URL = beside
): Effect.Effect<ReadonlyArray<Routes.Route<void>>> =>
  Effect.gen(function* () {
    const files = yield* DocsFiles.make(folder, (version) =>
      StaticContent.text("text/html; charset=utf-8", html(document, prefix, version), [
        ["Content-Security-Policy", policy]
      ])
    )
    const text = (path: string, type: string, content: () => string) =>
      Effect.map(Effect.cached(Effect.sync(() => StaticContent.text(type, content()))), (kept) =>
        Routes.get(path, (exchange) => Effect.flatMap(kept, StaticContent.answer(exchange)))
      )
    return [
      yield* text("/openapi.json", "application/json", () => JSON.stringify(document)),
      yield* text("/llms.txt", "text/plain; charset=utf-8", () => llms(document.info)),
      Routes.get("/docs", (exchange) =>
        Effect.flatMap(files, ({ page }) => StaticContent.answer(exchange)(page))
      ),
      Routes.get("/docs/:version/:file", (exchange, { file = "", version }) =>
        Effect.flatMap(files, (files) => {
          const content = version === files.version ? files.contents.get(file) : undefined
          return content === undefined
            ? Routes.nothingHere
            : StaticContent.answer(exchange)(content)
        })
      )
    ]
  })

/** What a language model reads first, as llmstxt.org has it. */
const llms = ({ description = "", summary = "", title }: Document["info"]) => `# ${title}

> ${summary}

- [OpenAPI document](openapi.json): every operation, parameter, body, status and header
- [Reference](docs): the same for people

${description}`

// One accent colour: the reference has the same.
const style = `
:root { --accent: light-dark(#0b7a5f, #4cc9a0) }
body { margin: 0 }
#introduction {
  max-width: 45rem; margin: auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word;
  a { color: var(--accent) }
  pre { padding: 1rem; background: #8882; white-space: pre-wrap }
}
`

/** An icon with the first letter of the title. */
const icon = (title: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b7a5f"/>` +
      `<text x="8" y="12" text-anchor="middle" font-family="sans-serif" font-size="12" fill="#fff">${title.charAt(0)}</text></svg>`
  )}`

/**
 * The page: the introduction and the operations, until the reference has started. Its addresses are relative, so that it
 * works behind a proxy with a path of its own.
 */
const html = ({ info, paths }: Document, prefix: string, version: string) => {
  const title = Markdown.quoted(info.title)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary = "" }]) =>
        `<li><code>${method.toUpperCase()} ${prefix}${path}</code> ${Markdown.quoted(summary)}</li>`
    )
  )
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="${icon(title)}">
    <style>${style}</style>
    <script defer src="docs/${version}/start.js"></script>
    <script defer src="docs/${version}/reference.js"></script>
  </head>
  <body>
    <main id="introduction">
      <h1>${title}</h1>
      <p>The OpenAPI document: <a href="openapi.json">openapi.json</a></p>
      <ul>${operations.join("")}</ul>
      ${Markdown.toHtml(info.description ?? "")}
    </main>
    <div id="reference" data-server=".${prefix}"></div>
  </body>
</html>
`
}
