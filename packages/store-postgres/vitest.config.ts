import { config, postgres } from "../../scripts/vitest.mjs"

export default config({ ...postgres, maxConcurrency: 8, maxWorkers: 2 })
