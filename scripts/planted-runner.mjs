// Runs tests of the package that it is started in, again and again, for `test-planted.mjs`.
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const vitestOf = createRequire(join(process.cwd(), "package.json"))
const entry = join(dirname(vitestOf.resolve("vitest/package.json")), "dist/node.js")
const { createVitest } = await import(pathToFileURL(entry))

const limits = { testTimeout: 60_000, hookTimeout: 60_000 }
const vitest = await createVitest("test", { watch: false, reporters: [{}], bail: 1, ...limits })

/** What was compiled from this file, or contains it: threads are bundles that stand beside other sources of their package. */
const forget = (changed) => {
  const source = changed.replace(/\/src\/.*/, "/src/")
  for (const file of vitest.vite.moduleGraph.fileToModulesMap.keys())
    if (file.startsWith(source)) vitest.invalidateFile(file)
}

const failuresOf = async ({ changed, tests }) => {
  if (changed !== undefined) forget(changed)
  const specifications = await vitest.globTestSpecifications(tests)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true)
  const failed = (module) => [...module.children.allTests("failed")].length + module.errors().length
  const run = testModules.flatMap((module) => [...module.children.allTests()])
  const failures = testModules.reduce((sum, module) => sum + failed(module), 0)
  if (failures + unhandledErrors.length > 0) return failures + unhandledErrors.length
  return run.length === 0 ? `no tests run in ${tests}` : 0
}

let turn = Promise.resolve()
process.on("message", (asked) => {
  turn = turn.then(async () => process.send(await failuresOf(asked)))
})
process.once("disconnect", async () => {
  await vitest.close()
  process.exit()
})
