import { defineConfig } from "vitest/config"

// One server for all test files, which share a process, two at a time.
export default defineConfig({
  test: {
    globalSetup: "@petstore/local-postgres/vitest",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
