import { readFileSync } from "node:fs"
import { config, postgres } from "../../scripts/vitest.mjs"

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"))

export default {
  // Most tests wait for the program. Those that measure the process are sequential.
  ...config({ ...postgres, maxWorkers: 2, sequence: { concurrent: true } }),
  // As the build does.
  define: { PETSTORE_VERSION: JSON.stringify(version) }
}
