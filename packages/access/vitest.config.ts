import { config } from "../../scripts/vitest.mjs"

// They wait for the test clock.
export default config({ maxConcurrency: 20, sequence: { concurrent: true } })
