/** The packages as they are published. */
import { posix } from "node:path"
import * as Attw from "@arethetypeswrong/core"
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { type Package, packages, program } from "./support/Packages.ts"
import { pack, type Tarball } from "./support/Tarballs.ts"

let tarballs: ReadonlyMap<string, Tarball> = new Map()

beforeAll(async () => {
  tarballs = await pack()
}, 120_000)

const tarballOf = (name: string): Tarball => {
  const tarball = tarballs.get(name)
  if (tarball === undefined) throw new Error(`${name} was not packed`)
  return tarball
}

/** What packages have besides modules. */
const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@petstore/http-transport": [
    "reference.js.gz",
    "reference.license.txt",
    "start.js.gz",
    "version"
  ].map((file) => `dist/internal/pages/docs/${file}`)
}

const publintOf = async (name: string) => {
  const { data, manifest } = tarballOf(name)
  const { messages } = await publint({ pack: { tarball: data.buffer }, strict: true })
  return messages.map((message) => formatMessage(message, manifest))
}

const expectTypes = async ({ entrypoints, name }: Pick<Package, "entrypoints" | "name">) => {
  const analysis = await Attw.checkPackage(tarballOf(name).contents, {
    entrypoints: [...entrypoints]
  })
  if (analysis.types === false) throw new Error("there are no types")
  expect(Object.keys(analysis.entrypoints)).toEqual(entrypoints)
  // The packages are ES modules only.
  const problems = analysis.problems.filter((problem) =>
    (["node16-esm", "bundler"] as const).some((kind) =>
      problemAffectsResolutionKind(problem, kind, analysis)
    )
  )
  expect(problems).toEqual([])
}

describe.each(packages)("$name", ({ entrypoints, name }) => {
  it("has the compiled modules, their sources and documents, and nothing else", () => {
    const { files } = tarballOf(name)
    const modules = [...files.keys()].flatMap((file) => /^src\/(.+)\.ts$/.exec(file)?.[1] ?? [])
    const kinds = [".js", ".js.map", ".d.ts", ".d.ts.map"]
    expect(modules).not.toEqual([])
    expect([...files.keys()].sort()).toEqual(
      [
        ...["LICENSE", "README.md", "package.json"],
        ...(others[name] ?? []),
        ...modules.flatMap((path) => [
          `src/${path}.ts`,
          ...kinds.map((kind) => `dist/${path}${kind}`)
        ])
      ].sort()
    )
  })

  it("has source maps whose sources are in the package", () => {
    const { files } = tarballOf(name)
    for (const [file, text] of files) {
      if (!/^dist\/.*\.(?:js|ts)$/.test(file)) continue
      const map = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(text)?.[1] ?? "none"
      const { sourceRoot = "", sources } = JSON.parse(
        files.get(posix.join(posix.dirname(file), map)) ?? "{}"
      )
      expect([file, sources]).toEqual([file, [expect.any(String)]])
      expect([...files.keys()]).toContain(
        posix.join(posix.dirname(file), sourceRoot, String(sources))
      )
    }
  })

  it("has the fields of a published package, and no workspace versions", () => {
    const { manifest } = tarballOf(name)
    expect(manifest.engines).toEqual({ node: ">=22.19" })
    expect(manifest.exports?.["./package.json"]).toBe("./package.json")
    const versions = Object.values({ ...manifest.dependencies, ...manifest.peerDependencies })
    expect(versions.filter((version) => /:/.test(version))).toEqual([])
  })

  it("has peers with ranges", () => {
    const { peerDependencies = {} } = tarballOf(name).manifest
    expect(Object.keys(peerDependencies)).toContain("effect")
    for (const range of Object.values(peerDependencies)) expect(range).toMatch(/^\^|^>=.* </)
  })

  it("is clean for publint", async () => {
    expect(await publintOf(name)).toEqual([])
  })

  it("has types that resolve in modules and bundlers", async () => {
    await expectTypes({ entrypoints, name })
  })
})

describe.each([...packages, program])("$name", ({ name }) => {
  it("says where it comes from, and nothing of how it is built and tested", () => {
    const { manifest } = tarballOf(name)
    expect(manifest).toMatchObject({
      bugs: expect.stringContaining("://"),
      homepage: expect.stringContaining("://"),
      keywords: expect.arrayContaining(["effect", "petstore"]),
      repository: { type: "git", directory: expect.stringMatching(`/${name.split("/")[1]}$`) }
    })
    expect(manifest).not.toHaveProperty("devDependencies")
    expect(manifest).not.toHaveProperty("scripts")
  })

  it("has a README without links into the repository", () => {
    const readme = tarballOf(name).files.get("README.md") ?? ""
    expect(readme).toContain(`# ${name}`)
    expect(readme.match(/\]\((?!https?:|#)[^)]*\)/g)).toBeNull()
  })

  it("refuses Effect 4", () => {
    expect(tarballOf(name).manifest.peerDependencies?.["effect"]).toMatch(/^\^3\./)
  })
})

describe("the program", () => {
  it("has the bundle, the notices of what it contains, and documents", () => {
    const files = [...tarballOf(program.name).files.keys()]
    expect(files).toEqual(
      expect.arrayContaining([
        ...["LICENSE", "README.md", "bin/petstore.js", "package.json"],
        ...["dist/THIRD-PARTY.txt", "dist/WriterThread.js", "dist/main.js", "dist/testing.js"]
      ])
    )
    expect(
      files.filter((file) =>
        /\.(?:map|ts|tsbuildinfo)$|(?:packages|sources)\.json$|^(?:src|test)/.test(file)
      )
    ).toEqual(["dist/types/testing.d.ts"])
  })

  it("has types of what can be imported", async () => {
    await expectTypes(program)
  })

  it("names the license of every package in the bundle", () => {
    const notices = tarballOf(program.name).files.get("dist/THIRD-PARTY.txt") ?? ""
    for (const name of ["@effect/platform", "effect", "pg", "pg-types", "prom-client"])
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\([\\w.-]+\\)\n\n.*\\S`, "m"))
    expect(notices).not.toContain("@petstore/")
  })

  it("depends on its native driver only", () => {
    const { dependencies, engines } = tarballOf(program.name).manifest
    expect(dependencies).toEqual({ "better-sqlite3": expect.stringMatching(/^[\d.]+$/) })
    expect(engines).toEqual({ node: ">=22.19" })
  })

  it("is clean for publint", async () => {
    expect(await publintOf(program.name)).toEqual([])
  })
})
