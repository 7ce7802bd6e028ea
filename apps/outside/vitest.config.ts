import { defineConfig } from "vitest/config"

// Most tests run compilers and other programs: two files at a time, as many as small machines have cores.
export default defineConfig({
  test: {
    globalSetup: "test/support/pack.ts",
    ...{ maxWorkers: 2, maxConcurrency: 2, testTimeout: 240_000, hookTimeout: 600_000 }
  }
})
