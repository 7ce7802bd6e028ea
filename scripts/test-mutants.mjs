// Changes the code of packages in small ways, one at a time, and lists those that no test notices. It works in a copy of the
// repository, with Stryker from the npm registry. Words name packages; without one all are tried, which takes hours.
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** What is changed, and the tests that should notice: those of the package, unless some are named. */
const targets = {
  domain: { mutate: ["src/**/*.ts"] },
  access: { mutate: ["src/**/*.ts"] },
  "http-contract": { mutate: ["src/{Cursor,IdempotencyKey,Issues,Json,JsonEncoder}.ts"] },
  "http-server": {
    mutate: ["src/internal/Connection.ts"],
    tests: ["Connection.orders", "connections", "pipelining", "drain", "reset", "timeouts"]
  },
  "store-sqlite": { mutate: ["src/internal/Writer.ts"], tests: ["Writer*"] },
  "store-postgres": {
    mutate: ["src/internal/{Writer,IdempotentInserts}.ts"],
    tests: ["Writer*", "Idempotent*", "PostgresPetStore"]
  }
}
const tools = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@9.6.1`)
const chosen = process.argv.slice(2)
const unknown = chosen.find((name) => !(name in targets))
if (unknown !== undefined) {
  process.stderr.write(`there are no mutants of ${unknown}: choose of ${Object.keys(targets)}\n`)
  process.exit(2)
}

const run = (cwd, command, ...words) =>
  spawnSync(command, words, { cwd, stdio: ["ignore", "inherit", "inherit"] }).status === 0
const folder = mkdtempSync(join(tmpdir(), "petstore-mutants-"))
const copy = join(folder, "petstore")
try {
  for (const file of execFileSync("git", ["ls-files", "-z"]).toString().split("\0").slice(0, -1)) {
    mkdirSync(join(copy, file, ".."), { recursive: true })
    cpSync(file, join(copy, file))
  }
  // Found from the copy, since it is in the folder above it.
  run(folder, "npm", "install", "--silent", "--no-save", "--legacy-peer-deps", ...tools)
  run(copy, "npx", "pnpm", "build", "--output-logs=errors-only")
  // The tests must run with the project's own.
  symlinkSync(
    join(copy, "packages/domain/node_modules/vitest"),
    join(folder, "node_modules/vitest")
  )
  const failed = Object.entries(targets)
    .filter(([name]) => chosen.length === 0 || chosen.includes(name))
    .filter(([name, { mutate, tests = ["*"] }]) => {
      const cwd = join(copy, "packages", name)
      const include = tests.map((test) => `test/${test}.test.ts`)
      // A test that reads the sources sees what Stryker puts into them.
      const part = JSON.stringify({ include, exclude: ["test/purity.test.ts"] })
      const config = `import config from "./vitest.config.ts"
export default { ...config, test: { ...config.test, ...${part} } }\n`
      writeFileSync(join(cwd, "mutants.config.ts"), config)
      const options = {
        mutate,
        testRunner: "vitest",
        plugins: ["@stryker-mutator/vitest-runner"],
        vitest: { configFile: "mutants.config.ts", related: false },
        coverageAnalysis: "perTest",
        concurrency: 1,
        inPlace: true,
        thresholds: { high: 95, low: 90, break: 90 },
        reporters: ["clear-text", "progress"],
        clearTextReporter: { allowColor: false, reportTests: false }
      }
      writeFileSync(join(cwd, "stryker.config.json"), JSON.stringify(options))
      process.stdout.write(`\n${name}\n`)
      return !run(cwd, process.execPath, join(folder, "node_modules/.bin/stryker"), "run")
    })
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
