/** A setup of vitest: one server for all tests of a package. Tests use it with `SharedPostgres`. */
import type {} from "vitest"
import type { TestProject } from "vitest/node"
import * as LocalPostgres from "./LocalPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The port of the server that all tests share. */
    readonly postgresPort: number
  }
}

/** Without `fsync`: no test cuts the power, and it is many times as slow. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const { port, remove } = await LocalPostgres.start("fsync=off")
  project.provide("postgresPort", port)
  return remove
}
