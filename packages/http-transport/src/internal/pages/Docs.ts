/** The OpenAPI document, an interactive page for it that loads nothing from elsewhere, and a text for language models. */
import type * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Routes from "../exchange/Routes.ts"
import * as DocsFiles from "./DocsFiles.ts"
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

type Info = Pick<OpenApi.OpenAPISpecInfo, "title" | "summary" | "description">

/** `/openapi.json`, `/llms.txt`, `/docs` and the files of the page. */
export const make = (
  document: { readonly info: Info },
  prefix: string,
  folder: URL = beside
): Effect.Effect<ReadonlyArray<Routes.Route<void>>> =>
  Effect.gen(function* () {
    const files = yield* DocsFiles.make(folder)
    const text = (path: string, type: string, content: () => string) =>
      Effect.map(Effect.cached(Effect.sync(() => StaticContent.text(type, content()))), (kept) =>
        Routes.get(path, (exchange) => Effect.flatMap(kept, StaticContent.answer(exchange)))
      )
    const page = Effect.map(files, ({ version }) =>
      StaticContent.text("text/html; charset=utf-8", html(document.info.title, prefix, version), [
        ["Content-Security-Policy", policy]
      ])
    )
    return [
      yield* text("/openapi.json", "application/json", () => JSON.stringify(document)),
      yield* text("/llms.txt", "text/plain; charset=utf-8", () => llms(document.info)),
      Routes.get("/docs", (exchange) => Effect.flatMap(page, StaticContent.answer(exchange))),
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
const llms = ({ description = "", summary = "", title }: Info) => `# ${title}

> ${summary}

- [OpenAPI document](openapi.json): every operation, parameter, body, status and header
- [Reference](docs): the same for people

${description}`

/** The page. Its addresses are relative, so that it works behind a proxy with a path of its own. */
const html = (title: string, prefix: string, version: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. The OpenAPI document does not: <a href="openapi.json">openapi.json</a></noscript>
    <div id="reference" data-server=".${prefix}"></div>
    <script src="docs/${version}/reference.js"></script>
    <script src="docs/${version}/start.js"></script>
  </body>
</html>
`
