import { describe, expect, it } from "@effect/vitest"
import { manifestOf, packages, sources, sourcesOf } from "./support/Sources.ts"

/** The workspace packages that each package may import. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/domain": [],
  "packages/access": [],
  "packages/direct": [],
  "packages/store-memory": ["domain", "access", "direct"],
  "packages/store-sqlite": ["domain", "access", "direct"],
  "packages/store-postgres": ["domain", "access", "direct"],
  "packages/store-testkit": ["domain", "access"],
  "packages/local-postgres": [],
  "packages/http-contract": ["domain", "access"],
  "packages/http-client": [],
  "packages/http-server": ["domain", "access", "http-contract", "direct"],
  "apps/api": [
    ...["domain", "access", "direct", "http-client", "http-contract", "http-server"],
    ...["store-memory", "store-postgres", "store-sqlite"]
  ],
  "apps/bench": ["local-postgres"],
  "apps/torture": ["http-client", "local-postgres", "store-testkit"],
  "examples/adoptions": ["domain", "access", "http-contract", "http-server", "store-sqlite"],
  "examples/store-json": ["domain", "store-memory"],
  "apps/outside": [
    ...["domain", "access", "api", "http-client", "http-contract", "http-server"],
    ...["store-memory", "store-sqlite", "store-testkit"]
  ]
}

const importsOf = (text: string) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, path = ""]) => path)

describe("the dependency rule", () => {
  it("has a line for every package", () => {
    expect(Object.keys(allowed)).toEqual(expect.arrayContaining(packages))
  })

  it.each(packages)("is followed by %s", (path) => {
    for (const { name, text } of sourcesOf(path)) {
      for (const imported of importsOf(text)) {
        const ours = /^@petstore\/([^/]+)/.exec(imported)?.[1]
        if (ours !== undefined)
          expect([name, allowed[path]]).toEqual([name, expect.arrayContaining([ours])])
        else
          expect([name, imported]).not.toEqual([
            name,
            expect.stringMatching(/^\.\.\/\.\.|^\/|\/apps\//)
          ])
      }
    }
  })

  it.each(packages)("holds for the manifest of %s", (path) => {
    const manifest = manifestOf(path)
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    for (const name of declared.filter((one) => one.startsWith("@petstore/"))) {
      expect(allowed[path]).toContain(name.slice("@petstore/".length))
    }
  })
})

describe("the internals of a package", () => {
  it.each(packages)("are closed to others in %s", (path) => {
    if (sourcesOf(path).some(({ name }) => name.startsWith(`${path}/src/internal/`))) {
      expect(manifestOf(path).exports).toMatchObject({ "./internal/*": null })
    }
  })
})

describe("the layers", () => {
  const where = (pattern: RegExp) =>
    sources
      .filter(
        ({ name, text }) =>
          !/^(?:examples|apps\/(?:bench|outside|torture)|packages\/(?:store-testkit|local-postgres))\//.test(
            name
          ) && pattern.test(text)
      )
      .map(({ name }) => name)

  it("read the environment only in the app, through Config", () => {
    expect(where(/process\.env|import\.meta\.env/)).toEqual([])
    // The client takes a Config of its options from its caller.
    expect(where(/"effect\/Config"/).filter((name) => !name.startsWith("apps/"))).toEqual([
      "packages/http-client/src/PetStoreClient.ts"
    ])
  })

  it("reach the process only through the terminal", () => {
    // Versions are the same in every process.
    const uses = where(/(?<!\.)\bprocess\.(?!versions?\b)\w|= process\b|"node:process"|\bconsole\./)
    expect(uses.filter((name) => name.startsWith("apps/")).sort()).toEqual([
      // systemd names the process that may take its socket.
      "apps/api/src/PassedSocket.ts",
      "apps/api/src/cli/Terminal.ts",
      "apps/api/src/main.ts",
      // A worker exchanges messages with its parent.
      "apps/api/src/workers/Worker.ts"
    ])
  })

  it("keep the command-line kit free of commands", () => {
    const kit = sources.filter(({ name }) => name.startsWith("apps/api/src/cli/"))
    expect(kit.length).toBeGreaterThan(0)
    expect(kit.filter(({ text }) => text.includes("../commands/"))).toEqual([])
  })

  it("run Effects only where a socket event becomes one, for other servers and tests, and in main", () => {
    expect(where(/\brun(?:Promise|Sync|Fork|Callback|Main)\w*\(/)).toEqual([
      "packages/http-server/src/Mounting.ts",
      "packages/http-server/src/internal/RequestRunner.ts",
      "apps/api/src/Program.ts",
      "apps/api/src/testing.ts"
    ])
  })

  it("use SQL only in stores and HTTP only in the transport", () => {
    const sql = where(/\b(?:SELECT|INSERT INTO|CREATE TABLE)\b/)
    expect(sql.filter((name) => !name.startsWith("packages/store-"))).toEqual([])
    const http = where(/"node:http"/)
    expect(http.filter((name) => !name.startsWith("packages/http-server/"))).toEqual([])
  })
})
