import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"

describe("a folder for a database", () => {
  it("cannot be created in a current folder that is closed to this user", () => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-folder-"))
    const module = new URL("../dist/internal/DatabaseFile.js", import.meta.url)
    const script = `
      import { chmodSync } from "node:fs"
      import { makeFolder } from "${module}"
      process.chdir("${folder}")
      chmodSync("${folder}", 0)
      // Every folder is open to root.
      if (process.getuid() === 0) process.setuid(65534)
      try { makeFolder("data") } catch (error) { console.log(error.code ?? error.message) }
    `
    const words = ["--input-type=module", "--eval", script]
    const { stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" })
    rmSync(folder, { recursive: true })
    expect([stdout, stderr]).toEqual(["EACCES\n", ""])
  })
})
