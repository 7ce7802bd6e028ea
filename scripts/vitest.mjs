// The configuration of all tests, which run the sources of all packages: a changed line is tested without a build.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The source of an import such as `@petstore/domain/Pet`. */
const sourceOf = (id) => {
  const [, scope, name, module = "index"] = /^(@petstore\/)?([\w-]+)(?:\/(.+))?$/.exec(id) ?? []
  return (
    name && join(root, scope === undefined ? "examples" : "packages", name, "src", `${module}.ts`)
  )
}

const sources = {
  name: "petstore:sources",
  enforce: "pre",
  resolveId: (id) => {
    const source = sourceOf(id)
    return source !== undefined && existsSync(source) ? source : undefined
  }
}

/** The modules beside a source that are run by threads, where no test runner compiles them. */
const threadsBeside = (source) =>
  readdirSync(dirname(source))
    .filter((name) => /.Thread\.ts$/.test(name))
    .map((name) => join(dirname(source), name))

/** Writes a file at once: tests of another package may read it now. */
const replace = (path, contents) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}

/** Lets threads load the SQLite driver from where the tests do: two copies of it do not know of each other's locks. */
const driver = {
  name: "petstore:driver",
  setup: (build) =>
    build.onResolve({ filter: /^better-sqlite3$/ }, ({ resolveDir }) => ({
      path: createRequire(join(resolveDir, "index.js")).resolve("better-sqlite3"),
      external: true
    }))
}

/** Compiles threads, each to one CommonJS file: ES modules and more files take longer to load. */
const compile = async (entryPoints, outbase, outdir) => {
  const options = { bundle: true, format: "cjs", platform: "node", plugins: [driver] }
  const { outputFiles } = await build({ ...options, entryPoints, outbase, outdir, write: false })
  replace(join(outdir, "package.json"), '{ "type": "commonjs" }')
  for (const { contents, path } of outputFiles) replace(path, contents)
}

/** Lets a source find what it expects beside itself: threads, compiled now, or else what the build wrote to `dist`. */
const beside = {
  name: "petstore:beside",
  enforce: "pre",
  transform: async (code, id) => {
    const [, folder, path] = /^(.*\/packages\/[^/]+)\/src\/(.+)\.ts$/.exec(id) ?? []
    if (folder === undefined || !code.includes("import.meta.url")) return undefined
    const threads = threadsBeside(id)
    const output = join(folder, threads.length > 0 ? "node_modules/.threads" : "dist")
    if (threads.length > 0) await compile(threads, join(folder, "src"), output)
    const url = pathToFileURL(join(output, `${path}.js`))
    return { code: code.replaceAll("import.meta.url", JSON.stringify(url.href)), map: null }
  }
}

/** Tells `test.mjs` that the tests of a package begin, and in the end what each took, and whether it failed. */
const notes = (address) => {
  const name = relative(root, process.cwd())
  const tell = (noted) => fetch(address, { method: "POST", body: JSON.stringify({ name, noted }) })
  let startedAt
  return {
    onTestRunStart: async () => {
      startedAt = Date.now()
      await tell()
    },
    onTestRunEnd: async (modules, errors) => {
      const ofModule = (module) => {
        const file = relative(root, module.moduleId)
        const failure = { file, test: "", isFailed: true, took: 0 }
        const tests = [...module.children.allTests()].map((test) => ({
          file,
          test: test.fullName,
          isFailed: test.result().state === "failed",
          took: test.diagnostic()?.duration ?? 0
        }))
        return module.errors().length > 0 ? [failure, ...tests] : tests
      }
      const others = errors.map(({ message }) => ({
        file: name,
        test: message,
        isFailed: true,
        took: 0
      }))
      const tests = [...modules.flatMap(ofModule), ...others]
      await tell({ tests, took: Date.now() - startedAt })
    }
  }
}

const address = process.env.PETSTORE_TEST_NOTES

/** A setup that provides one PostgreSQL for all tests. */
export const postgres = {
  globalSetup: join(root, "packages/local-postgres/test/support/vitest.ts")
}

/**
 * Test files share a process: loading Effect takes longer than most of them. One process for each package, as packages
 * are tested side by side; those that wait longest may have two.
 */
export const config = (test = {}) => ({
  plugins: [sources, beside],
  test: {
    // CommonJS modules have the exports that Node gives them.
    deps: { interopDefault: false },
    // A time that is read or written without its zone is wrong here, as on the machines of others.
    env: { TZ: "America/St_Johns" },
    // They end tests that hang, even on busy machines.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 180_000,
    isolate: false,
    maxWorkers: 1,
    minWorkers: 1,
    reporters: ["default", ...(address === undefined ? [] : [notes(address)])],
    testTimeout: 180_000,
    ...test
  }
})

export default config()
