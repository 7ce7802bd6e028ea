// Runs tests of the package that it is started in, again and again, for `test-planted.mjs`.
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const vitestOf = createRequire(join(process.cwd(), "package.json"))
const entry = join(dirname(vitestOf.resolve("vitest/package.json")), "dist/node.js")
const { createVitest } = await import(pathToFileURL(entry))

const limits = { testTimeout: 60_000, hookTimeout: 60_000 }
const vitest = await createVitest("test", { watch: false, reporters: [{}], bail: 1, ...limits })

/** What was compiled from these files, or contains them: threads are bundles that stand beside other sources of their package. */
const forget = (changed) => {
  const sources = changed.map((file) => file.replace(/\/src\/.*/, "/src/"))
  for (const file of vitest.vite.moduleGraph.fileToModulesMap.keys())
    if (sources.some((source) => file.startsWith(source))) vitest.invalidateFile(file)
}

/** How many of these tests fail, or why that is not known: a file that cannot be loaded shows nothing. */
const failuresOf = async ({ changed, tests }) => {
  forget(changed)
  const specifications = await vitest.globTestSpecifications(tests)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true)
  // The result has all modules that this process ever ran.
  const modules = testModules.filter(({ moduleId }) => tests.includes(moduleId))
  const [error] = modules.flatMap((module) => module.errors())
  const states = modules
    .flatMap((module) => [...module.children.allTests()])
    .map((test) => test.result().state)
  const failures = states.filter((state) => state === "failed").length + unhandledErrors.length
  if (failures > 0) return failures
  if (error !== undefined) return error.message
  return states.includes("passed") ? 0 : `no tests run in ${tests}`
}

let turn = Promise.resolve()
process.on("message", (asked) => {
  turn = turn.then(async () => process.send(await failuresOf(asked)))
})
process.once("disconnect", async () => {
  await vitest.close()
  process.exit()
})
