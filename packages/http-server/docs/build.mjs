// Puts the files of the page `/docs` into dist, compressed, with a version that changes with any of them.
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const sources = {
  "reference.js": fileURLToPath(import.meta.resolve("@scalar/api-reference/browser/standalone.js")),
  "start.js": "docs/start.js"
}
const folder = "dist/internal/docs"
const hash = createHash("sha256")

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, source] of Object.entries(sources)) {
  const content = readFileSync(source)
  hash.update(content)
  writeFileSync(`${folder}/${name}.gz`, gzipSync(content, { level: 9 }))
}
writeFileSync(`${folder}/version`, hash.digest("hex").slice(0, 16))
cpSync("docs/reference.license.txt", `${folder}/reference.license.txt`)
