import { readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"))

// Test files share a process, two at a time: most of them wait, and loading Effect takes longer than most.
export default defineConfig({
  // As the build does.
  define: { PETSTORE_VERSION: JSON.stringify(version) },
  test: {
    // Commands change the working folder, which threads cannot.
    pool: "forks",
    globalSetup: "@petstore/local-postgres/vitest",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 180_000
  }
})
