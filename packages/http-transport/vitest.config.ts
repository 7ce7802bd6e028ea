import { config } from "../../scripts/vitest.mjs"

export default config({ maxConcurrency: 20, maxWorkers: 2 })
