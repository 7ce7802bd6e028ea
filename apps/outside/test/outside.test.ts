/** The packages as others use them: packed, and installed outside the workspace as their READMEs say. */
import { cpSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { runInNewContext } from "node:vm"
import { build } from "esbuild"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import * as Outside from "./support/Outside.ts"
import { run } from "./support/Processes.ts"
import * as Service from "./support/Service.ts"
import {
  compilers,
  majors,
  missing,
  nodeOf,
  packages,
  runtimes,
  workspace
} from "./support/Workspace.ts"

let folder: string
beforeAll(async () => {
  folder = await Outside.make()
  return () => Outside.remove(folder)
})

/** Runs a program of a project, to its end. */
const runProgram = (node: string, path: string, { signal }: TestContext) => {
  const [project = "", name = ""] = path.split("/")
  return run(node, [`src/${name}.ts`], { cwd: join(folder, project), signal })
}

/** What the test of a caller sees. */
const fakeReport = [
  ...["unavailable", "timed_out", "9007199254740993", "payload_too_large", "Ida", "Rex", 6]
]

it.each(packages)("the README of $name installs what it needs of ours", ({ installs, needs }) => {
  const [, list = ""] = /petstore-\{?([\w,-]+?)\}?-1\.0\.0\.tgz/.exec(installs) ?? []
  const all = needs.flatMap((name) => packages.find((one) => one.name === name)?.needs ?? [])
  expect(list.split(",")).toEqual(expect.arrayContaining(all))
})

describe.concurrent("the types", () => {
  for (const [version, compiler] of Object.entries(compilers))
    for (const [name, configuration] of Object.entries(Outside.configurations)) {
      // The older one is slow, and finds modules for bundlers in the browser's.
      if (version === "5.9" && name === "bundler") continue
      it(`suit TypeScript ${version}, ${name}`, async ({ signal }) => {
        const file = `tsconfig.${version}.${name}.json`
        writeFileSync(join(folder, file), JSON.stringify(configuration))
        await run(process.execPath, [compiler, "-p", file], { cwd: folder, signal })
      })
    }
})

describe.concurrent.for(majors)("on Node %i", (major) => {
  /** A test on this Node. */
  const test = (name: string, body: (node: string, context: TestContext) => Promise<void>) =>
    it(name, async (context) => {
      const node = nodeOf(major)
      if (node === undefined) return context.skip(missing(`Node ${major}`))
      await body(node, context)
    })

  test("every public module loads", async (node, context) => {
    for (const { name } of packages) await runProgram(node, `${name}/everything`, context)
  })

  test("another service reuses the use cases on a store of its own", async (node, context) => {
    context.expect(await runProgram(node, "domain/useCases", context)).toBe("Rex, PetNotFound")
  })

  test("callers test on the service in memory", async (node, context) => {
    context
      .expect(JSON.parse(await runProgram(node, "http-client/fake", context)))
      .toEqual(fakeReport)
  })

  test("the testkit checks a store without vitest", async (node, context) => {
    context.expect(await runProgram(node, "store-testkit/laws", context)).toMatch(/^\d\d laws$/)
  })
})

describe.concurrent.for(runtimes)("on $name", ({ file, name, words }) => {
  it("callers test on the service in memory", async (context) => {
    if (file === undefined) return context.skip(missing(name))
    const { expect, signal } = context
    const cwd = join(folder, "http-client")
    const report = await run(file, [...words, "src/fake.ts"], { cwd, signal })
    expect(JSON.parse(report)).toEqual(fakeReport)
  })
})

it("a copy of the example of a store installs and passes its tests", async ({ expect, signal }) => {
  const example = join(workspace, "examples/store-json")
  const filter = (path: string) => !/^(?:node_modules|dist|\.turbo)$/.test(basename(path))
  cpSync(example, join(folder, "store-json"), { recursive: true, filter })
  const tarballs = "./tarballs/petstore-{kernel,access,domain,store-memory,store-testkit}-1.0.0.tgz"
  const cwd = await Outside.install(folder, "store-json", `npm install ${tarballs}`)
  expect(await run("npm", ["test"], { cwd, signal })).toMatch(/Tests .*\d passed/)
})

/** What Node and browsers have in common, and a script of a page may use. */
const names =
  "AbortController AbortSignal Headers Request Response TransformStream URL URLSearchParams " +
  "clearTimeout crypto fetch performance setTimeout"
const globals = names.split(" ").map((name) => [name, Reflect.get(globalThis, name)])

it("the client calls a service, and needs nothing that only Node has", async ({
  expect,
  onTestFinished
}) => {
  const url = await Service.start(folder, onTestFinished)
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["http-client/src/calls.ts"],
    bundle: true,
    format: "iife",
    globalName: "client",
    platform: "browser",
    target: "es2022",
    write: false
  })
  const client = runInNewContext(`${outputFiles[0]?.text};client`, Object.fromEntries(globals))
  const report = JSON.parse(await client.calls(url, Service.key, "the web"))
  const created = {
    id: expect.stringMatching(/^9007199254\d{6}$/),
    name: "the web",
    categoryId: "9007199254740993",
    status: "sold"
  }
  const { code, deprecated } = { code: "pet_not_found", deprecated: ["getPet"] }
  const listed = [Service.firstPet, report.created]
  expect(report).toEqual({ created, got: report.created, listed, code, deprecated })
})
