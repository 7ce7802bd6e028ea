import { defineConfig } from "vitest/config"

// Most tests run compilers: two at a time, as many as small machines have cores.
export default defineConfig({
  test: {
    ...{ fileParallelism: false, maxConcurrency: 2, testTimeout: 240_000, hookTimeout: 600_000 }
  }
})
