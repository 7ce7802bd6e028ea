/** What parts of the packages add to a bundle. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { sideEffectsOf, sizesOf } from "./support/Bundles.ts"
import { packages } from "./support/Packages.ts"
import { workspace } from "./support/Projects.ts"

describe.each(packages)("$name", (one) => {
  it("has no side effects, so that bundles contain only what is used", async () => {
    expect(await sideEffectsOf(one)).toBe("")
  })
})

/** Exports that need nothing of Effect, and the modules that have them. */
const plain = [
  ["max", "@petstore/kernel/Int64"],
  ["latest", "@petstore/access/ApiKey"],
  ["prefix", "@petstore/http-pets/PetStoreApi"],
  ["make", "@petstore/kernel/Turn"],
  ["networkOf", "@petstore/http-transport/ClientAddress"],
  ["replace", "@petstore/store-sqlite/PartialFile"]
] as const

/** The exports in the table, and the modules that have them. */
const shown = [
  ["max", "@petstore/kernel/Int64"],
  ["createPetStore", "@petstore/http-client"],
  ["PageLimit", "@petstore/domain/PetPage"],
  ["Pet", "@petstore/domain/Pet"],
  ["ApiKey", "@petstore/access/ApiKey"],
  ["PetStoreApi", "@petstore/http-pets/PetStoreApi"],
  ["of", "@petstore/http-transport/Cursor"],
  ["map", "@petstore/kernel/Direct"],
  ["layer", "@petstore/store-memory/MemoryPetStore"],
  ["fromRow", "@petstore/store-sql/PetRow"],
  ["layer", "@petstore/store-sqlite/SqliteStores"],
  ["layer", "@petstore/store-postgres/PostgresStores"],
  ["layer", "@petstore/http-transport/ApiServer"],
  ["layer", "@petstore/http-pets/PetStoreServer"],
  ["laws", "@petstore/store-testkit/Laws"]
] as const

const moduleOf = ([name, from]: readonly [string, string]) => `export { ${name} } from "${from}"`
const drivers = ["better-sqlite3", "pg", "pg-native"]

describe("an export that needs nothing else", () => {
  it("takes less than 500 bytes", async () => {
    const sizes = await sizesOf(plain.map(moduleOf), drivers)
    expect(sizes).toHaveLength(plain.length)
    for (const [at, size] of sizes.entries())
      expect([plain[at], size < 500]).toEqual([plain[at], true])
  })
})

describe("the table of sizes in docs/packages.md", () => {
  it("has a line for every package", () => {
    for (const { name } of packages)
      expect(shown.filter(([, from]) => `${from}/`.startsWith(`${name}/`))).not.toEqual([])
  })

  it("is true; -u writes it", async () => {
    const modules = shown.map(moduleOf)
    const alone = await sizesOf(modules, [...drivers, "effect", "@effect/*"])
    const whole = await sizesOf(modules, drivers)
    const kB = (size = 0) => (size < 1000 ? "< 1 kB" : `${Math.round(size / 1000)} kB`)
    const rows = shown.map(([name, from], at) => [
      `\`${name}\` of \`${from}\``,
      kB(alone[at]),
      kB(whole[at])
    ])
    const titles = ["import", "without Effect", "with Effect"]
    const widths = titles.map((title, at) =>
      Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0))
    )
    const line = (row: ReadonlyArray<string>) =>
      `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`
    const table = [line(titles), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)]
    const page = readFileSync(join(workspace, "docs/packages.md"), "utf8")
    const [before = "", , after = ""] = page.split(/(?<=\n)(\| import .*\n(?:\|.*\n)+)/)
    await expect(`${before}${table.join("\n")}\n${after}`).toMatchFileSnapshot(
      "../../../docs/packages.md"
    )
  })
})
