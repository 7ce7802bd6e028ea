/** A setup of vitest: packs what is offered to others, once for all tests. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { packages, pnpm } from "./Workspace.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the tarballs. */
    readonly tarballs: string
  }
}

export default async (project: TestProject): Promise<() => void> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-tarballs-"))
  const names = ["@petstore/api", ...packages.map(({ name }) => `@petstore/${name}`)]
  const filters = names.flatMap((name) => ["--filter", name])
  await pnpm("--recursive", ...filters, "pack", "--pack-destination", folder)
  project.provide("tarballs", folder)
  return () => rmSync(folder, { recursive: true })
}
