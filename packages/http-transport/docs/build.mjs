// Writes the files of the page `/docs` to a folder, compressed, with a version that changes with any of them.
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const beside = import.meta.dirname
const sources = {
  "reference.js": fileURLToPath(import.meta.resolve("@scalar/api-reference/browser/standalone.js")),
  "start.js": join(beside, "start.js")
}
const [folder] = process.argv.slice(2)
// As `versionOf` in DocsFiles.ts, which may not be compiled yet.
const version = createHash("sha256")

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, source] of Object.entries(sources)) {
  const content = gzipSync(readFileSync(source), { level: 9 })
  version.update(content)
  writeFileSync(join(folder, `${name}.gz`), content)
}
writeFileSync(join(folder, "version"), version.digest("hex").slice(0, 16))
cpSync(join(beside, "reference.license.txt"), join(folder, "reference.license.txt"))
