/**
 * A setup of vitest: one server for all tests, be it of a package or, if `scripts/test.mjs` runs them, of all packages.
 * Tests use it with `SharedPostgres`.
 */

import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import type {} from "vitest"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** The port of the server that all tests share. */
    readonly postgresPort: number
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const shared = process.env["PETSTORE_TEST_POSTGRES"]
  if (shared !== undefined) {
    const response = await fetch(shared)
    if (!response.ok) throw new Error(await response.text())
    project.provide("postgresPort", Number(await response.text()))
    return async () => {}
  }
  const { port, remove } = await LocalPostgres.start(...LocalPostgres.forTests)
  project.provide("postgresPort", port)
  return remove
}
