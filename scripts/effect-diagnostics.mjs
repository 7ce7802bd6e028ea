// Runs Effect's own diagnostics over packages and apps at once, and fails on any finding. They need the
// JavaScript API that TypeScript 7 lacks, so they run on the TypeScript 5 that pnpm-workspace.yaml
// gives them, which is found from their own folder.
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = dirname(
  createRequire(import.meta.url).resolve("@effect/language-service/package.json")
)

const diagnose = (part) =>
  new Promise((resolve) => {
    const project = fileURLToPath(new URL(`tsconfig.${part}.json`, import.meta.url))
    const words = [join(home, "cli.js"), "diagnostics", "--strict", "--project", project]
    const child = spawn(process.execPath, words, { cwd: home, stdio: "inherit" })
    child.once("error", () => resolve(1))
    child.once("exit", (code) => resolve(code ?? 1))
  })

const codes = await Promise.all(["packages", "apps"].map(diagnose))
process.exit(Math.max(...codes))
