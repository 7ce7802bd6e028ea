// Changes the code of packages in small ways, one at a time, and lists those that no test notices. It works in a copy of the
// repository, with Stryker from the npm registry. Words name packages; without one all are tried, which takes hours.
import { symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { make, run } from "./working-copy.mjs"

/** What is changed, and the tests that should notice, in the package whose configuration they need. */
const targets = {
  kernel: { mutate: ["kernel/src/**/*.ts"], tests: ["kernel/test/*"] },
  domain: { mutate: ["domain/src/**/*.ts"], tests: ["domain/test/*"] },
  access: {
    mutate: ["access/src/**/*.ts"],
    tests: ["access/test/*", "store-memory/test/MemoryApiKeyStore"]
  },
  "http-transport": {
    mutate: ["http-transport/src/**/*.ts"],
    tests: ["http-transport/test/*"]
  },
  "http-client": { mutate: ["http-client/src/**/*.ts"], tests: ["http-client/test/!(readme)"] },
  "store-memory": { mutate: ["store-memory/src/**/*.ts"], tests: ["store-memory/test/*"] },
  "store-sqlite": {
    // Mutants do not reach threads: the tests open the connection of the writer's thread in their own.
    mutate: ["store-sqlite/src/internal/{Writer,WriteConnection}.ts"],
    tests: ["store-sqlite/test/Write*", "store-sqlite/test/LostFiles"]
  },
  "store-postgres": {
    mutate: ["store-postgres/src/internal/{Writer,Primary,HostUrls}.ts"],
    tests: ["Writer*", "Primary", "HostUrls"].map((test) => `store-postgres/test/${test}`)
  }
}
const tools = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@9.6.1`)
const chosen = process.argv.slice(2)
const unknown = chosen.find((name) => !(name in targets))
if (unknown !== undefined) {
  process.stderr.write(`there are no mutants of ${unknown}: choose of ${Object.keys(targets)}\n`)
  process.exit(2)
}

const { copy, folder } = make()
const inPackages = (path) => `packages/${path}`
// Found from the copy, since it is in the folder above it.
run(folder, "npm", "install", "--silent", "--no-save", "--legacy-peer-deps", ...tools)
// The tests must run with the project's own.
symlinkSync(join(copy, "packages/domain/node_modules/vitest"), join(folder, "node_modules/vitest"))
const failed = Object.entries(targets)
  .filter(([name]) => chosen.length === 0 || chosen.includes(name))
  .filter(([name, { mutate, tests }]) => {
    const part = JSON.stringify({
      root: copy,
      include: tests.map((test) => inPackages(`${test}.test.ts`)),
      // A test that reads the sources sees what Stryker puts into them.
      exclude: ["**/purity.test.ts"]
    })
    writeFileSync(
      join(copy, "mutants.config.ts"),
      `import config from "./packages/${name}/vitest.config.ts"
import { loading } from "./scripts/mutants-ignored.mjs"
export default { ...config, plugins: [...config.plugins, loading], test: { ...config.test, ...${part} } }\n`
    )
    const options = {
      mutate: mutate.map(inPackages),
      testRunner: "vitest",
      plugins: ["@stryker-mutator/vitest-runner", resolve("scripts/mutants-ignored.mjs")],
      ignorers: ["documentation"],
      vitest: { configFile: "mutants.config.ts", related: false },
      coverageAnalysis: "perTest",
      concurrency: 1,
      // On a busy machine, too, a timeout should be an endless loop.
      timeoutMS: 20_000,
      inPlace: true,
      thresholds: { high: 95, low: 90, break: 90 },
      reporters: ["clear-text", "progress"],
      clearTextReporter: { allowColor: false, reportTests: false }
    }
    writeFileSync(join(copy, "stryker.config.json"), JSON.stringify(options))
    process.stdout.write(`\n${name}\n`)
    return !run(copy, process.execPath, join(folder, "node_modules/.bin/stryker"), "run")
  })
process.exitCode = failed.length === 0 ? 0 : 1
