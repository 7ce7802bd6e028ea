/** `npx pnpm dev`, on a copy of the sources. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "../support/Folder.ts"
import { open } from "../support/Process.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Copies what is edited, and links what is not. */
const copySources = (to: string) => {
  const names = readdirSync(join(root, "packages")).map((name) => `packages/${name}`)
  for (const place of ["apps/api", ...names]) {
    mkdirSync(join(to, place), { recursive: true })
    for (const name of readdirSync(join(root, place))) {
      const [from, target] = [join(root, place, name), join(to, place, name)]
      if (name === "src" || /\.m?js(?:on)?$/.test(name)) cpSync(from, target, { recursive: true })
      else if (["dist", "docs", "node_modules"].includes(name)) symlinkSync(from, target)
    }
  }
}

live("npx pnpm dev restarts after a save, unless the sources have an error", function* () {
  const path = yield* folder
  copySources(path)
  const dev = yield* open(path, ["--database", "memory:"], {
    program: [process.execPath, join(path, "apps/api/dev.mjs")],
    environment: { PORT: "0" }
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => dev.stop("SIGTERM")))
  const messageOf = async (start: number) => {
    const lines = await dev.untilAll(/serving http:/, start)
    const [, url] = /serving (http:\S+) /.exec(lines.at(-1) ?? "") ?? []
    const body = await (await fetch(`${url}/none`)).text()
    return JSON.parse(body).message
  }
  const edit = (from: string, to: string) => {
    const file = join(path, "packages/http-transport/src/internal/exchange/Routes.ts")
    writeFileSync(file, readFileSync(file, "utf8").replace(from, to))
  }
  expect(yield* Effect.promise(() => messageOf(1))).toBe("there is nothing at this path")
  edit("there is nothing at", "nothing was found at")
  expect(yield* Effect.promise(() => messageOf(2))).toBe("nothing was found at this path")
  edit("nothing was found", "nothing is\n")
  yield* Effect.promise(() => dev.until(/not restarted/))
  expect(dev.stderr).toContain("Unterminated string literal")
  expect(yield* Effect.promise(() => messageOf(2))).toBe("nothing was found at this path")
  edit("nothing is\n", "nothing is")
  expect(yield* Effect.promise(() => messageOf(3))).toBe("nothing is at this path")
  expect((yield* Effect.promise(() => dev.stop("SIGTERM"))).code).toBe(0)
})
