/** What operators run the program with. */
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DCLinter } from "dclint"
import { describe, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"
import * as Outside from "./support/Outside.ts"
import { run } from "./support/Processes.ts"
import * as Service from "./support/Service.ts"
import { app, compilers, readManifest, textOf, workspace } from "./support/Workspace.ts"

describe("compose.yaml", () => {
  it("is a Compose file without errors", () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
    const results: ReadonlyArray<{ readonly errorCount: number; readonly messages: unknown }> =
      linter.lintFiles([join(workspace, "compose.yaml")], false)
    const problems = results.map(({ errorCount, messages }) => (errorCount === 0 ? [] : messages))
    expect(problems).toEqual([[]])
  })
})

type Node = ReturnType<typeof JSON.parse>

/** The package has what Kubernetes publishes: a schema and a type for each kind of object. */
const moduleOf = ({ apiVersion }: Node) => `kubernetes-models/${apiVersion}`

describe.each(["kubernetes.yaml", "kubernetes-sqlite.yaml"])("deploy/%s", (file) => {
  const documents = parseAllDocuments(textOf(`deploy/${file}`))
  const objects: ReadonlyArray<Node> = documents.map((document) => document.toJS())
  const pod: Node = objects.find(({ spec }) => spec.template).spec.template
  const [container] = pod.spec.containers
  const settings: Readonly<Record<string, string>> = Object.fromEntries(
    container.env.map(({ name, value }: Node) => [name, value])
  )

  it("is valid by the schemas of Kubernetes", async () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
    for (const object of objects) {
      const { [object.kind]: Model } = await import(moduleOf(object))
      new Model(object).validate()
      const worse = { ...object, metadata: { ...object.metadata, labels: 1 } }
      expect(() => new Model(worse).validate()).toThrow("labels")
    }
  })

  it("has no field that Kubernetes does not know", async ({ onTestFinished, signal }) => {
    const folder = Outside.makeFolder()
    onTestFinished(() => Outside.remove(folder))
    symlinkSync(join(app, "node_modules"), join(folder, "node_modules"))
    const lines = objects.map((object) => {
      const type = `import("${moduleOf(object)}").I${object.kind}`
      return `${JSON.stringify(object)} satisfies ${type}`
    })
    writeFileSync(join(folder, "objects.mts"), `export default [${lines.join(",\n")}]\n`)
    const words = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "objects.mts"]
    await run(process.execPath, [compilers["7.0"], ...words], { cwd: folder, signal })
  })

  it("selects its pods, and names ports that they have", () => {
    for (const { spec } of objects) {
      const selector = spec.selector ?? spec.podSelector
      expect(selector.matchLabels ?? selector).toEqual(pod.metadata.labels)
    }
    const known = container.ports.map(({ name }: Node) => name)
    const named = JSON.stringify(objects).matchAll(/"(?:targetPort|port)":"(\w+)"/g)
    expect(known).toEqual(expect.arrayContaining(Array.from(named, ([, name]) => name)))
  })

  it("gives a server the time to stop, and is of the current version", () => {
    const { PETSTORE_DRAIN_SECONDS, PETSTORE_PRESTOP_SECONDS } = settings
    const seconds = Number(PETSTORE_PRESTOP_SECONDS) + Number(PETSTORE_DRAIN_SECONDS)
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(seconds + 10)
    const { version } = readManifest(join(workspace, "apps/api"))
    expect(container.image).toBe(`petstore:${version}`)
  })

  it("has settings that exist, and probes that the program answers", async ({ onTestFinished }) => {
    const example = textOf(".env.example")
    for (const name of Object.keys(settings)) expect(example).toContain(`${name}=`)
    const folder = Outside.makeFolder()
    onTestFinished(() => Outside.remove(folder))
    const env = { ...settings, PETSTORE_METRICS_PORT: "0" }
    const url = await Service.startEmpty(folder, onTestFinished, env)
    const { livenessProbe, readinessProbe, startupProbe = livenessProbe } = container
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
      expect([httpGet, (await fetch(url + httpGet.path)).status]).toEqual([httpGet, 200])
  })
})
