// Writes the bill of materials of the program to a file, in CycloneDX. pnpm describes all packages that the program is built
// with, tools and tests included; of those it keeps what is installed with the program and what is in its bundle.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

const [file] = process.argv.slice(2)

const describe = (name, ...options) => {
  const words = ["--filter", name, "sbom", "--sbom-format", "cyclonedx", ...options]
  const output = execFileSync("pnpm", words, { encoding: "utf8", maxBuffer: 2 ** 28 })
  return JSON.parse(output)
}

const everything = describe("@petstore/api", "--sbom-type", "application")
const installed = describe("@petstore/api", "--prod").components
// The page `/docs` is built from a package that only http-transport is built with.
const known = new Set(everything.components.map((component) => component["bom-ref"]))
everything.components.push(
  ...describe("@petstore/http-transport").components.filter(
    (component) => !known.has(component["bom-ref"])
  )
)
const bundled = JSON.parse(
  readFileSync(new URL("../apps/api/dist/packages.json", import.meta.url), "utf8")
)
const bundledNames = new Set(bundled.map(({ name, version }) => `${name}@${version}`))
const isBundled = ({ group, name, version }) =>
  bundledNames.has(`${group === undefined ? "" : `${group}/`}${name}@${version}`)

const refs = new Set([
  everything.metadata.component["bom-ref"],
  ...installed.map((component) => component["bom-ref"]),
  ...everything.components.filter(isBundled).map((component) => component["bom-ref"])
])
const isKept = (ref) => refs.has(ref)
const bill = {
  ...everything,
  components: everything.components.filter((component) => isKept(component["bom-ref"])),
  dependencies: everything.dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ dependsOn = [], ref }) => ({ ref, dependsOn: dependsOn.filter(isKept) }))
}
const missing = bundledNames.size - bill.components.filter(isBundled).length
if (missing !== 0) throw new Error(`${missing} bundled packages are not described`)
writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`)
process.stdout.write(`${file}: ${bill.components.length} components\n`)
