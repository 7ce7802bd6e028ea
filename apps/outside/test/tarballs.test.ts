/** The packages as they are published. */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import * as Attw from "@arethetypeswrong/core"
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { describe, expect, it } from "vitest"
import * as Outside from "./support/Outside.ts"
import { packages } from "./support/Workspace.ts"

const read = (name: string) => {
  const data = new Uint8Array(readFileSync(join(Outside.tarballs(), `petstore-${name}-1.0.0.tgz`)))
  const contents = Attw.createPackageFromTarballData(data)
  const home = `/node_modules/@petstore/${name}/`
  const files = new Map(
    contents.listFiles().map((path) => [path.slice(home.length), contents.readFile(path)])
  )
  return { data, contents, files, manifest: JSON.parse(files.get("package.json") ?? "") }
}

describe.each([...packages.map(({ name }) => name), "api"])("%s", (name) => {
  it("has the fields of a published package, and nothing of how it is built and tested", () => {
    const { files, manifest } = read(name)
    expect(manifest).toMatchObject({
      bugs: expect.stringContaining("://"),
      engines: { node: ">=22.19" },
      homepage: expect.stringContaining("://"),
      keywords: expect.arrayContaining(["effect", "petstore"]),
      repository: { type: "git", directory: expect.stringMatching(`/${name}$`) }
    })
    expect(Object.keys(manifest)).not.toContain("devDependencies")
    expect(Object.keys(manifest)).not.toContain("scripts")
    const ranges = Object.values({ ...manifest.dependencies, ...manifest.peerDependencies })
    expect(ranges.filter((range) => /:/.test(String(range)))).toEqual([])
    const readme = files.get("README.md") ?? ""
    expect(readme).toContain(`# @petstore/${name}`)
    expect(readme.match(/\]\((?!https?:|#)[^)]*\)/g)).toBeNull()
  })

  it("is clean for publint", async () => {
    const { data, manifest } = read(name)
    const { messages } = await publint({ pack: { tarball: data.buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })
})

/** What packages have besides modules, and modules without a source map: bundles. */
const bundles: Readonly<Record<string, ReadonlyArray<string>>> = {
  "http-client": ["dist/THIRD-PARTY.txt", "dist/testing.js"]
}

describe.each(packages)("$name", ({ modules, name }) => {
  it("has the compiled modules, their sources and documents, and nothing else", () => {
    const { files } = read(name)
    const bundled = bundles[name] ?? []
    const sources = [...files.keys()].flatMap((file) => /^src\/(.+)\.ts$/.exec(file)?.[1] ?? [])
    const outputs = sources.flatMap((path) => [
      `src/${path}.ts`,
      ...[".js", ".js.map", ".d.ts", ".d.ts.map"].map((kind) => `dist/${path}${kind}`)
    ])
    const others = ["LICENSE", "README.md", "package.json", ...bundled]
    const expected = new Set([...others, ...outputs])
    for (const file of bundled) expected.delete(`${file}.map`)
    expect([...files.keys()].sort()).toEqual([...expected].sort())
    for (const file of files.keys()) {
      if (!/^dist\/.*\.(?:js|ts)$/.test(file) || bundled.includes(file)) continue
      const map = JSON.parse(files.get(`${file}.map`) ?? "{}")
      expect([file, map.sources]).toEqual([file, [expect.any(String)]])
      expect([...files.keys()]).toContain(posix.join(file, "..", String(map.sources)))
    }
  })

  it("has types that resolve in modules and bundlers, and refuses Effect 4", async () => {
    const { contents, manifest } = read(name)
    const entrypoints = modules.map((module) => module.replace(`@petstore/${name}`, "."))
    const analysis = await Attw.checkPackage(contents, { entrypoints })
    if (analysis.types === false) throw new Error("there are no types")
    // The packages are ES modules only.
    const problems = analysis.problems.filter((problem) =>
      (["node16-esm", "bundler"] as const).some((kind) =>
        problemAffectsResolutionKind(problem, kind, analysis)
      )
    )
    expect(problems).toEqual([])
    if (name !== "http-client") expect(manifest.peerDependencies.effect).toMatch(/^\^3\./)
  })
})

it("the program has its bundle, the notices of what it contains, and only its driver beside it", () => {
  const { files, manifest } = read("api")
  expect(manifest.dependencies).toEqual({ "better-sqlite3": expect.stringMatching(/^[\d.]+$/) })
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(["LICENSE", "bin/petstore.js", "dist/WriterThread.js", "dist/main.js"])
  )
  expect([...files.keys()].filter((file) => /\.(?:map|ts)$|^(?:src|test)/.test(file))).toEqual([])
  const notices = files.get("dist/THIRD-PARTY.txt") ?? ""
  for (const name of ["@effect/platform", "effect", "pg", "pg-types", "prom-client"])
    expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\([\\w.-]+\\)\n\n.*\\S`, "m"))
  expect(notices).not.toContain("@petstore/")
})
