/** The packages as others use them: packed, and installed outside the workspace. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, type ExpectStatic, it, type TestContext } from "vitest"
import * as Browser from "./support/Browser.ts"
import { testExample } from "./support/Examples.ts"
import * as Outside from "./support/Outside.ts"
import * as Page from "./support/Page.ts"
import { run, serve } from "./support/Processes.ts"
import { configurations } from "./support/Projects.ts"
import * as Service from "./support/Service.ts"
import { compilers, majors, missing, nodeOf, runtimes } from "./support/Tools.ts"

const stops: Array<() => Promise<void>> = []
const atEnd = (stop: () => Promise<void>) => {
  stops.unshift(stop)
}

let folder: string
let script: string
let page: Page.Page
let baseUrl: string

beforeAll(async () => {
  folder = await Outside.make()
  atEnd(async () => Outside.remove(folder))
  script = await Page.bundle(folder)
  page = await Page.serve(script, atEnd)
  baseUrl = await Service.start(folder, atEnd, page.origin)
})

afterAll(async () => {
  for (const stop of stops) await stop()
})

/** Runs a program of a project, to its end. */
const runProject = (node: string, project: string, { signal }: TestContext, words: string[] = []) =>
  run(node, ["dist/main.js", ...words], { cwd: join(folder, project), signal })

/** Starts a program of a project, which serves until the test ends. */
const serveProject = (node: string, project: string, { onTestFinished }: TestContext) =>
  serve(node, ["dist/main.js"], { cwd: join(folder, project) }, onTestFinished)

/** Compares what a client saw with what it should have seen. */
const expectReport = (expect: ExpectStatic, text: string, name: string) => {
  const report = JSON.parse(text)
  expect(report).toEqual({
    created: {
      id: expect.stringMatching(/^9007199254\d{6}$/),
      name,
      categoryId: "9007199254740993",
      status: "sold"
    },
    got: report.created,
    listed: expect.arrayContaining([report.created]),
    code: "pet_not_found",
    deprecated: ["getPet"]
  })
  expect(report.listed[0]).toEqual(Service.firstPet)
}

/** What the test of a caller sees. */
const fakeReport = [
  ...["unavailable", "timed_out", "9007199254740993", "payload_too_large", "Ida", "Rex", 6]
]

describe.concurrent("the types", () => {
  for (const [version, compiler] of Object.entries(compilers))
    for (const name of Object.keys(configurations)) {
      // The older one is slow, and finds modules for bundlers in the browser's.
      if (version === "5.9" && name === "bundler") continue
      it(`suit TypeScript ${version}, ${name}`, async ({ signal }) => {
        await run(process.execPath, [compiler, "-p", `tsconfig.${name}.json`], {
          cwd: folder,
          signal
        })
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
    const { expect, signal } = context
    expect(await run(node, ["--version"], { cwd: folder, signal })).toMatch(`v${major}.`)
    expect(await runProject(node, "everything", context)).toBe("loaded")
  })

  test("another service reuses the domain alone", async (node, context) => {
    const url = await serveProject(node, "service", context)
    const response = await fetch(url, { method: "POST", body: '{"name":"Rex","categoryId":7}' })
    context
      .expect([response.status, await response.json()])
      .toEqual([201, { id: 1, name: "Rex", categoryId: 7 }])
  })

  test("a store keeps pets in SQLite", async (node, context) => {
    context.expect(await runProject(node, "sqlite", context, [`${major}.db`])).toBe("1 Rex")
  })

  test("the transport serves pets of memory", async (node, context) => {
    const url = await serveProject(node, "server", context)
    const headers = { Authorization: "Bearer key-of-the-outside" }
    const response = await fetch(`${url}/v1/pets`, { headers })
    context.expect([response.status, await response.json()]).toEqual([200, []])
  })

  test("the whole service runs in a test, on a store of one's own, too", async (node, context) => {
    const pets = '[{"id":1,"name":"Rex","categoryId":7}]'
    context
      .expect(JSON.parse(await runProject(node, "testing", context)))
      .toEqual([true, pets, true])
  })

  test("callers test on the service in memory", async (node, context) => {
    context.expect(JSON.parse(await runProject(node, "fake", context))).toEqual(fakeReport)
  })

  test("the client calls a service", async (node, context) => {
    const name = `Node ${major}`
    const report = await runProject(node, "promises", context, [baseUrl, Service.key, name])
    expectReport(context.expect, report, name)
  })
})

describe.concurrent.for(runtimes)("on $name", ({ file, name, words }) => {
  it("callers test on the service in memory", async (context) => {
    if (file === undefined) return context.skip(missing(name))
    const { expect, signal } = context
    const report = await run(file, [...words, "dist/main.js"], {
      cwd: join(folder, "fake"),
      signal
    })
    expect(JSON.parse(report)).toEqual(fakeReport)
  })
})

describe.concurrent("on this Node", () => {
  it("the testkit checks a store without vitest", async (context) => {
    context.expect(await runProject(process.execPath, "laws", context)).toMatch(/^\d\d laws$/)
  })
})

it("a copy of the example of a store installs and passes its tests", async (context) => {
  const { expect, onTestFinished } = context
  const copied = mkdtempSync(join(tmpdir(), "store-json-"))
  onTestFinished(() => rmSync(copied, { recursive: true, force: true }))
  expect(await testExample(copied, Outside.packedIn(folder))).toMatch(/Tests .*\d passed/)
})

describe.concurrent("on the web", () => {
  it("the client calls a service from Chromium", async ({ expect, onTestFinished, skip }) => {
    const browser = await Browser.find(folder)
    if (browser === undefined)
      return skip(`${missing("Chromium")}: set CHROMIUM to the path of one`)
    const query = new URLSearchParams({ baseUrl, apiKey: Service.key, name: "Chromium" })
    const ended = Browser.open(browser, `${page.origin}/?${query}`, folder, onTestFinished)
    expectReport(expect, await Promise.race([page.report, ended]), "Chromium")
  })

  it("the client needs nothing that only Node has", async ({ expect }) => {
    const client = runInNewContext(`${script};client`, { ...Page.globals })
    expectReport(expect, await client.calls(baseUrl, Service.key, "the web"), "the web")
  })
})
