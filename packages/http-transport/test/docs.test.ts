/** The page `/docs` and its files, and how they and the OpenAPI document are compressed and revalidated. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import { Effect, Layer } from "effect"
import * as Routes from "../src/internal/exchange/Routes.ts"
import * as Docs from "../src/internal/pages/Docs.ts"
import { versionOf } from "../src/internal/pages/DocsFiles.ts"
import { exchange } from "./support/Connection.ts"
import { expectResponse, notFound } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import * as Logs from "./support/Logs.ts"
import { headerOf } from "./support/Response.ts"
import { served } from "./support/Served.ts"

/** What a caller gets, decompressed. */
const get = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  Effect.gen(function* () {
    const { url } = yield* HttpListener.HttpListener
    return yield* Effect.promise(async (signal) => {
      const sent = { "Accept-Encoding": "identity", ...headers }
      const response = await fetch(url + target, { method, headers: sent, signal })
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text()
      }
    })
  })

/** What each script of the page has. */
const marks = ["createApiReference", "@scalar/api-reference 1.46"]

const page = get("/docs")

/** The scripts of the page, by their addresses. */
const scripts = Effect.map(page, ({ body }) =>
  [...body.matchAll(/<script defer src="([^"]*)">/g)].map(([, address]) => `/${address}`)
)

describe("the page", () => {
  served()("loads nothing from elsewhere, and may call its own server only", function* () {
    const { body, headers, status } = yield* page
    expect(status).toBe(200)
    expect(body).toMatch(/^<!doctype html>/i)
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": [
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'",
        "img-src 'self' data:; font-src 'self' data:",
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ].join("; ")
    })
  })

  served()("has addresses that are relative, so that it works behind any prefix", function* () {
    const addresses = [...(yield* page).body.matchAll(/(?:src|href|data-server)="([^"]*)"/g)]
    expect(addresses.map(([, address]) => address)).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml,/),
      expect.stringMatching(/^docs\/[0-9a-f]{16}\/start\.js$/),
      expect.stringMatching(/^docs\/[0-9a-f]{16}\/reference\.js$/),
      "openapi.json",
      "./v1"
    ])
  })

  served()("lists the operations without its scripts", function* () {
    const { body } = yield* page
    for (const part of [
      "<h1>Things</h1>",
      "<code>GET /v1/things</code>",
      "(until 5 December 2030)"
    ])
      expect(body).toContain(part)
  })

  served()("has scripts that callers keep for ever, compressed or not", function* () {
    for (const [at, script] of (yield* scripts).entries()) {
      const plain = yield* get(script)
      const packed = yield* get(script, { "Accept-Encoding": "gzip" })
      expect(plain.headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-length": String(Buffer.byteLength(plain.body)),
        "content-type": "text/javascript; charset=utf-8",
        vary: "Accept-Encoding"
      })
      expect(plain.headers).not.toHaveProperty("content-encoding")
      expect(packed.headers["content-encoding"]).toBe("gzip")
      expect(Number(packed.headers["content-length"])).toBeLessThan(plain.body.length)
      expect(packed.body === plain.body).toBe(true)
      expect(plain.body.includes(marks[at] ?? "none")).toBe(true)
      const head = yield* get(script, { "Accept-Encoding": "gzip" }, "HEAD")
      expect(head).toMatchObject({ status: 200, body: "" })
      expect(head.headers["content-length"]).toBe(packed.headers["content-length"])
      const known = { "If-None-Match": plain.headers["etag"] ?? "" }
      expect((yield* get(script, known)).status).toBe(304)
    }
  })

  served()("has no other files", function* () {
    const [, script = ""] = yield* scripts
    for (const target of [
      ...["/docs/reference.js", "/docs/0123456789abcdef/reference.js", "/docs/../version"],
      ...["version", "reference.js.gz", "..", "%2e%2e", "", "start.js/"].map((name) =>
        script.replace("reference.js", name)
      )
    ])
      expectResponse(yield* exchange({ target, key: null }), notFound)
  })
})

describe("the text for language models", () => {
  served()("introduces the API, and leads to its document", function* () {
    const { body, headers } = yield* get("/llms.txt")
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8")
    expect(body).toMatch(/^# Things\n\n> /)
    const links = [...body.matchAll(/\]\(([^)]*)\)/g)].map(([, link]) => `/${link}`)
    expect(links).toEqual(["/openapi.json", "/docs"])
  })
})

describe("revalidation", () => {
  for (const target of ["/docs", "/openapi.json", "/llms.txt"]) {
    served()(`sends ${target} compressed to callers that accept it`, function* () {
      const plain = yield* get(target)
      for (const accepted of ["gzip", "deflate, GZIP;q=0.5, br", "br,gzip ; q=1.0"]) {
        const packed = yield* get(target, { "Accept-Encoding": accepted })
        const { "content-encoding": encoding, "content-length": length } = packed.headers
        expect([accepted, encoding]).toEqual([accepted, "gzip"])
        expect(Number(length)).toBeLessThan(plain.body.length)
        expect(packed.body).toBe(plain.body)
        expect(packed.headers["etag"]).toBe(plain.headers["etag"])
      }
      for (const accepted of ["", "br", "gzip;q=0", "gzip ; Q=0.000, *", "x-gzip"]) {
        const { body, headers } = yield* get(target, { "Accept-Encoding": accepted })
        expect([accepted, headers["content-encoding"]]).toEqual([accepted, undefined])
        expect(body).toBe(plain.body)
      }
    })

    served()(`sends ${target} only to callers that do not have it`, function* () {
      const { headers } = yield* get(target)
      const { etag = "" } = headers
      expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
      expect(headers).toMatchObject({ "cache-control": "no-cache", vary: "Accept-Encoding" })
      for (const method of ["GET", "HEAD"]) {
        const known = yield* get(target, { "If-None-Match": etag }, method)
        expect([known.status, known.body]).toEqual([304, ""])
        expect(known.headers).toMatchObject({
          ...{ "cache-control": "no-cache", vary: "Accept-Encoding", etag }
        })
        expect(known.headers).not.toHaveProperty("content-length")
      }
      expect((yield* get(target, { "If-None-Match": '"a"' })).status).toBe(200)
    })
  }
})

const info = { title: "Things", description: "## Quick start" }

/** Serves the page with files from this folder. */
const serveFrom = (folder: URL) =>
  Effect.gen(function* () {
    const { serve } = yield* HttpListener.HttpListener
    yield* serve(Routes.make(yield* Docs.make({ info, paths: {} }, "/v1", folder)))
  })

describe("a file that is missing", () => {
  it.scopedLive("is logged, and a 500", () => {
    const logs = Logs.make()
    return Effect.gen(function* () {
      yield* serveFrom(new URL("file:///none/"))
      for (const target of ["/docs", "/docs/0123456789abcdef/start.js"]) {
        const response = yield* exchange({ target, key: null })
        expect(response.status).toBe(500)
        expect(response.body).not.toContain("none")
        const requestId = headerOf(response, "X-Request-Id")
        expect(logs.lines.at(-1)).toMatchObject({ level: "ERROR", annotations: { requestId } })
        expect(logs.lines.at(-1)?.cause).toContain("ENOENT")
      }
      expect((yield* exchange({ target: "/openapi.json", key: null })).body).toBe(
        JSON.stringify({ info, paths: {} })
      )
    }).pipe(Effect.provide(Layer.provide(Harness.listener(), logs.layer)))
  })
})

describe("files that are replaced while the server runs", () => {
  const temporary = Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "docs-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  )

  it.scopedLive("are served only if they are of one version, which stays", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const write = (name: string, content: string | Uint8Array) =>
        Effect.promise(() => writeFile(join(folder, name), content))
      const [first, second, third] = [gzipSync("first"), gzipSync("second"), gzipSync("third")]
      const version = versionOf([first, second])
      yield* serveFrom(pathToFileURL(`${folder}/`))
      yield* write("reference.js.gz", first)
      yield* write("start.js.gz", third)
      yield* write("version", version)
      expect((yield* get("/docs")).status).toBe(500)

      yield* write("start.js.gz", second)
      const { body } = yield* get("/docs")
      expect(body).toContain(`docs/${version}/start.js`)
      expect(body).toContain("<h2>Quick start</h2>")

      yield* write("start.js.gz", third)
      yield* write("version", versionOf([first, third]))
      expect((yield* get("/docs")).body).toBe(body)
      for (const encoding of ["gzip", "identity"]) {
        const file = yield* get(`/docs/${version}/start.js`, { "Accept-Encoding": encoding })
        expect(file).toMatchObject({ status: 200, body: "second" })
      }
    }).pipe(Effect.provide(Layer.provide(Harness.listener(), Logs.make().layer)))
  )
})
