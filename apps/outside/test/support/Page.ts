/** A web page that calls the service. */
import { once } from "node:events"
import { createServer } from "node:http"
import { build } from "esbuild"
import { listen } from "./Listening.ts"
import type { AtEnd } from "./Processes.ts"

/** The promise form of the client for browsers, as a script that defines `client`. Fails if it needs Node. */
export const bundle = async (folder: string): Promise<string> => {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["promises/src/calls.ts"],
    bundle: true,
    format: "iife",
    globalName: "client",
    platform: "browser",
    target: "es2022",
    write: false
  })
  return outputFiles.map(({ text }) => text).join("")
}

const { AbortController, AbortSignal, Headers, Request, Response, URL, URLSearchParams } =
  globalThis
const { clearTimeout, crypto, fetch, performance, setTimeout } = globalThis

/** What Node and browsers have in common, and a script of a page may use. */
export const globals = {
  ...{ AbortController, AbortSignal, Headers, Request, Response, TransformStream, URL },
  ...{ URLSearchParams, clearTimeout, crypto, fetch, performance, setTimeout }
}

const html = `<!doctype html>
<script>
  const report = (body) => fetch("/report", { method: "POST", body })
  const fail = (error) => report(JSON.stringify({ failed: String(error) }))
  addEventListener("error", ({ message }) => fail(message))
</script>
<script src="/calls.js"></script>
<script>
  const { apiKey, baseUrl, name } = Object.fromEntries(new URLSearchParams(location.search))
  client.calls(baseUrl, apiKey, name).then(report, fail)
</script>
`

/** A served page. */
export interface Page {
  readonly origin: string
  /** What the page reports once it has called the service. */
  readonly report: Promise<string>
}

/** Serves the page with this script. */
export const serve = async (script: string, atEnd: AtEnd): Promise<Page> => {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (request.method === "POST") server.emit("report", body)
    if (request.url === "/calls.js")
      response.setHeader("Content-Type", "text/javascript").end(script)
    else response.setHeader("Content-Type", "text/html").end(html)
  })
  const report = once(server, "report").then(([body]) => String(body))
  return { origin: await listen(server, atEnd), report }
}
