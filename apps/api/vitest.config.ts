import { readFileSync } from "node:fs"
import { config, postgres } from "../../scripts/vitest.mjs"

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"))

export default {
  ...config({ ...postgres, maxWorkers: 2, testTimeout: 180_000 }),
  // As the build does.
  define: { PETSTORE_VERSION: JSON.stringify(version) }
}
