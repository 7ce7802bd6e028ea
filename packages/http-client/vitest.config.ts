import { defineConfig } from "vitest/config"

// Test files share a process, two at a time: most of them wait, and loading Effect takes longer than most.
export default defineConfig({
  test: {
    globalSetup: "@petstore/local-postgres/vitest",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000
  }
})
