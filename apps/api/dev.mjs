// Serves out of the sources: each time one of them is saved, bundles them again and restarts the server. Types
// are not checked: editors do that, and `npx pnpm check`.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { watch } from "node:fs"
import { dirname, join } from "node:path"
import { context } from "esbuild"
import { options, writeDocs } from "./bundle.mjs"

const folder = import.meta.dirname
const packages = join(folder, "../../packages")
const outdir = join(folder, ".dev")
const say = (text) => process.stderr.write(`dev: ${text}\n`)

const sources = {
  name: "sources",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@petstore\// }, ({ path }) => {
      const [, name, module = "index"] = path.split("/")
      return { path: join(packages, name, "src", `${module}.ts`) }
    })
}
const bundle = await context({
  ...options(outdir),
  plugins: [sources],
  // Faster: the sources are on this disk.
  sourcesContent: false
})

let server
let isStopping = false
const restart = async () => {
  // Restarts should be quick, so requests in flight get less time than in production.
  const env = { PETSTORE_DRAIN_SECONDS: "1", ...process.env }
  if (server !== undefined && server.exitCode === null && server.signalCode === null) {
    server.kill("SIGTERM")
    await once(server, "exit")
  }
  if (isStopping) return
  const words = ["--enable-source-maps", join(outdir, "main.js"), "serve", ...process.argv.slice(2)]
  server = spawn(process.execPath, words, { env, stdio: "inherit" })
  server.once("exit", (code) => {
    if (code) say("the server ended; it starts again when a source is saved")
  })
}

const watched = new Set()
const watchFoldersOf = (files) => {
  for (const file of files) {
    const place = join(folder, dirname(file))
    if (place.includes("node_modules") || watched.has(place)) continue
    watched.add(place)
    watch(place, changed)
  }
}

let isChanged = false
let isBusy = false
const changed = async () => {
  isChanged = true
  if (isBusy) return
  isBusy = true
  while (isChanged) {
    // An editor may write a file in several steps.
    await new Promise((resolve) => setTimeout(resolve, 50))
    isChanged = false
    const start = performance.now()
    try {
      const { metafile } = await bundle.rebuild()
      watchFoldersOf(Object.keys(metafile.inputs))
      say(`bundled in ${Math.round(performance.now() - start)} ms`)
      await restart()
    } catch (error) {
      if (error.errors === undefined) throw error
      say("not restarted: fix the errors above")
    }
  }
  isBusy = false
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, async () => {
    isStopping = true
    // After Ctrl-C it is the server's second signal, which changes nothing.
    server?.kill(signal)
    if (server?.exitCode === null && server.signalCode === null) await once(server, "exit")
    process.exit(server?.exitCode ?? 0)
  })
}
writeDocs(outdir)
await changed()
