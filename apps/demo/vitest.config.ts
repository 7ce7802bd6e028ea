import { config } from "../../scripts/vitest.mjs"

export default config({ testTimeout: 180_000 })
