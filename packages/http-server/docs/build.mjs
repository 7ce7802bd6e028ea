// Puts the files of the page `/docs` into dist, compressed, with a version that changes with any of them.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { versionOf } from "../dist/internal/DocsFiles.js"

const sources = {
  "reference.js": fileURLToPath(import.meta.resolve("@scalar/api-reference/browser/standalone.js")),
  "start.js": "docs/start.js"
}
const folder = "dist/internal/docs"
const contents = []

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, source] of Object.entries(sources)) {
  const content = gzipSync(readFileSync(source), { level: 9 })
  contents.push(content)
  writeFileSync(`${folder}/${name}.gz`, content)
}
writeFileSync(`${folder}/version`, versionOf(contents))
cpSync("docs/reference.license.txt", `${folder}/reference.license.txt`)
