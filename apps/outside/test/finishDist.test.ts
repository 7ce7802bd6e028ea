/** The last step of a package's build. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { transformSync } from "esbuild"
import { workspace } from "./support/Projects.ts"

const folder = mkdtempSync(join(tmpdir(), "petstore-dist-"))
afterAll(() => rmSync(folder, { recursive: true }))

const source = `import { first, second } from "elsewhere"
export const a = first(1), b = [
  a.field, second(2)].map((one) => one + third())
export class C extends second("C") {
  field = third()
}
const third = () => 3
`
mkdirSync(join(folder, "src"))
mkdirSync(join(folder, "dist"))
const { code, map } = transformSync(source, { loader: "ts", sourcemap: true })
writeFileSync(join(folder, "src/a.ts"), source)
writeFileSync(join(folder, "dist/a.js"), code)
writeFileSync(join(folder, "dist/a.js.map"), map)
writeFileSync(join(folder, "dist/.tsbuildinfo"), "{}")
for (const kind of [".js", ".js.map", ".d.ts"]) writeFileSync(join(folder, `dist/gone${kind}`), "")

const finish = () => {
  execFileSync("node", [join(workspace, "scripts/finish-dist.mjs")], { cwd: folder })
  return readFileSync(join(folder, "dist/a.js"), "utf8")
}
const text = finish()

/** Where a text is, by line and column. */
const placeOf = (part: string, whole: string) => {
  const before = whole.slice(0, whole.indexOf(part)).split("\n")
  return [before.length - 1, before.at(-1)?.length ?? 0] as const
}

describe("the last step of a build", () => {
  it("marks constants and the parents of classes, and nothing else", () => {
    expect(text.match(/\w+ (?:=|extends) \/\*#__PURE__\*\//g)).toEqual([
      "a = /*#__PURE__*/",
      "b = /*#__PURE__*/",
      "C extends /*#__PURE__*/"
    ])
  })

  it("keeps source maps exact", () => {
    const moved = new SourceMap(JSON.parse(readFileSync(join(folder, "dist/a.js.map"), "utf8")))
    for (const part of ["first(1)", "a.field", "second(2)", 'second("C")', "third()\n}"]) {
      const entry = moved.findEntry(...placeOf(part.replace("()\n", "();\n"), text))
      const found = "originalLine" in entry ? [entry.originalLine, entry.originalColumn] : []
      expect([part, ...found]).toEqual([part, ...placeOf(part, source)])
    }
  })

  it("changes nothing the second time", () => {
    expect(finish()).toBe(text)
  })

  it("removes the output of sources that are gone", () => {
    for (const kind of [".js", ".js.map", ".d.ts"]) {
      expect(existsSync(join(folder, `dist/gone${kind}`))).toBe(false)
    }
    expect(existsSync(join(folder, "dist/.tsbuildinfo"))).toBe(true)
  })
})
