/** Who imports whom: a rule of all packages. */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { manifestOf, packages, sources, sourcesOf, writtenFor } from "./support/Sources.ts"

/** The workspace packages that each package may import. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/kernel": [],
  "packages/domain": ["kernel"],
  "packages/access": ["kernel"],
  "packages/store-memory": ["domain", "access", "kernel"],
  "packages/store-sql": ["domain", "access", "kernel"],
  "packages/store-sqlite": ["domain", "access", "kernel", "store-sql"],
  "packages/store-postgres": ["domain", "access", "kernel", "store-sql"],
  "packages/store-testkit": ["domain", "access", "kernel"],
  "packages/local-postgres": [],
  "packages/http-transport": ["kernel"],
  "packages/http-pets": ["domain", "access", "http-transport", "kernel"],
  "packages/http-client": [],
  // Of the client only the fake, which is bundled.
  "packages/http-client/src/testing.ts": [
    ...["domain", "http-pets", "http-transport", "store-memory"]
  ],
  "apps/api": [
    ...["domain", "access", "kernel", "http-client", "http-pets", "http-transport"],
    ...["store-memory", "store-postgres", "store-sqlite"]
  ],
  "apps/bench": ["local-postgres"],
  "apps/torture": ["http-client", "local-postgres", "store-testkit"],
  "examples/store-json": ["domain", "kernel", "store-memory"],
  "apps/outside": [
    ...["domain", "access", "api", "kernel", "http-client", "http-pets", "http-transport"],
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
          expect([name, allowed[name] ?? allowed[path]]).toEqual([
            name,
            expect.arrayContaining([ours])
          ])
        else if (/^[./]/.test(imported))
          expect(posix.join(name, "..", imported)).toMatch(new RegExp(`^${path}/src/`))
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

/** What any service could stand on. Domain, access and stores are the Pet Store's: its keys begin with `pet_`. */
const platform = ["kernel", "http-transport", "local-postgres"]

describe("the core", () => {
  const guide = readFileSync(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8")
  const [, listed = ""] = /^## The core$(.*?)^## /ms.exec(guide) ?? []
  const files = [...listed.matchAll(/^\| `(\S+\.ts)`/gm)].map(([, name = ""]) => name)

  it("has less than 1,500 lines", () => {
    const lines = files.map((name) => sources.find((one) => one.name === name)?.text.split("\n"))
    const counts = lines.map((each) => each?.length ?? Number.NaN)
    expect(counts.reduce((sum, count) => sum + count - 1, 0)).toBeLessThan(1500)
  })

  it("includes all of the domain and of the contract", () => {
    const needed = ["packages/domain", "packages/http-pets"].flatMap(sourcesOf)
    // Not for callers over HTTP: an index names the others, and keys are of access.
    const others = /index\.ts|ApiKeyAuthentication\.ts/
    const names = needed.map(({ name }) => name).filter((name) => !others.test(name))
    expect(names.filter((name) => !files.includes(name))).toEqual([])
  })
})

describe("the platform", () => {
  it.each(platform)("mentions no pet in %s", (name) => {
    const written = writtenFor(`packages/${name}`)
    expect(written.length).toBeGreaterThan(1)
    // The name of the project is in those of its packages, variables and folders.
    const mentions = written.filter(({ text }) =>
      /pet/i.test(text.replaceAll(/@petstore\/|\bPETSTORE_|\bpetstore[-_"']/g, ""))
    )
    expect(mentions.map(({ name }) => name)).toEqual([])
  })
})

it.each(packages)("the internals of a package are closed to others in %s", (path) => {
  if (sourcesOf(path).some(({ name }) => name.startsWith(`${path}/src/internal/`))) {
    expect(manifestOf(path).exports).toMatchObject({ "./internal/*": null })
  }
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
    expect(where(/"effect\/Config"/).filter((name) => !name.startsWith("apps/"))).toEqual([])
  })

  it("reach the process only through the terminal", () => {
    // Versions are the same in every process.
    const uses = where(/(?<!\.)\bprocess\.(?!versions?\b)\w|= process\b|"node:process"|\bconsole\./)
    expect(uses.filter((name) => name.startsWith("apps/")).sort()).toEqual([
      "apps/api/src/cli/Terminal.ts",
      "apps/api/src/main.ts",
      // systemd names the process that may take its socket.
      "apps/api/src/settings/PassedSocket.ts"
    ])
  })

  it("keep the command-line kit free of commands", () => {
    const kit = sources.filter(({ name }) => name.startsWith("apps/api/src/cli/"))
    expect(kit.length).toBeGreaterThan(0)
    expect(kit.filter(({ text }) => text.includes("../commands/"))).toEqual([])
  })

  it("run Effects only where a socket event becomes one, for tests, and in main", () => {
    expect(where(/\brun(?:Promise|Sync|Fork|Callback|Main)\w*\(/)).toEqual([
      "packages/http-transport/src/WebHandler.ts",
      "packages/http-transport/src/internal/exchange/RequestRunner.ts",
      "apps/api/src/commands/Program.ts"
    ])
  })

  it("use SQL only in stores and HTTP only in the transport", () => {
    const sql = where(/\b(?:SELECT|INSERT INTO|CREATE TABLE)\b/)
    expect(sql.filter((name) => !name.startsWith("packages/store-"))).toEqual([])
    const http = where(/"node:http"/)
    expect(http.filter((name) => !name.startsWith("packages/http-transport/"))).toEqual([])
  })
})

describe("the rooms of the app", () => {
  const root = "apps/api/src/"
  /** A folder, or a file beside the folders. */
  const roomOf = (path: string) => path.split("/")[0] ?? path
  const inside = sourcesOf("apps/api").map(({ name, text }) => ({
    path: name.slice(root.length),
    text
  }))
  const below = new Map(inside.map(({ path }) => [roomOf(path), new Set<string>()]))
  for (const { path, text } of inside) {
    for (const imported of importsOf(text).filter((one) => one.startsWith("."))) {
      const room = roomOf(new URL(imported, `file:///${path}`).pathname.slice(1))
      if (room !== roomOf(path)) below.get(roomOf(path))?.add(room)
    }
  }
  /** The longest chain of imports that starts in a room; fails in a circle. */
  const chainFrom = (room: string, above: ReadonlyArray<string> = []): ReadonlyArray<string> => {
    if (above.includes(room)) throw new Error(`circle: ${[...above, room].join(" -> ")}`)
    const chains = Array.from(below.get(room) ?? [], (next) => chainFrom(next, [...above, room]))
    return [room, ...chains.reduce((one, other) => (other.length > one.length ? other : one), [])]
  }

  it("import one another in one direction, on at most eight floors", () => {
    expect(chainFrom("main.ts").length).toBeGreaterThan(3)
    for (const room of below.keys()) expect(chainFrom(room).length).toBeLessThanOrEqual(8)
  })
})
