import { execFileSync } from "node:child_process"
import { expect, it } from "@effect/vitest"
import { KeyLaws, Laws } from "@petstore/store-testkit"

it("loads outside vitest, with all laws", () => {
  const script = `
    const { KeyLaws, Laws } = await import("@petstore/store-testkit")
    console.log(Laws.laws.length + KeyLaws.laws.length)
  `
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: new URL("..", import.meta.url),
    encoding: "utf8"
  })
  expect(printed.trim()).toBe(String(Laws.laws.length + KeyLaws.laws.length))
}, 60_000)
