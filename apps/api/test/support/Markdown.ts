/** The Markdown files of the repository. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the repository. */
export const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** A file, by its path in the repository. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** One file. */
export const page = (path: string): Page => ({
  path,
  text: readFileSync(join(root, path), "utf8")
})

const generated = ["node_modules", "dist", "api"]

/** All of them, but for what is installed or generated. */
export const pages: ReadonlyArray<Page> = (function find(folder: string): ReadonlyArray<Page> {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    const place = relative(root, path)
    if (entry.isDirectory()) {
      const isSkipped =
        generated.includes(entry.name) && place !== "apps/api" && !place.endsWith("src/api")
      return isSkipped || entry.name.startsWith(".") ? [] : find(path)
    }
    return entry.name.endsWith(".md") ? [page(place)] : []
  })
})(root)

const block = /^( *)```(\w*)\n(.*?)^\1```$/gms

/** The blocks of code in a language. */
export const blocks = ({ text }: Page, language: string): ReadonlyArray<string> =>
  [...text.matchAll(block)].flatMap(([, indent = "", name, code = ""]) =>
    name === language ? [code.replaceAll(new RegExp(`^${indent}`, "gm"), "")] : []
  )

/** The text outside of blocks. */
export const prose = ({ text }: Page): string => text.replaceAll(block, "")

/** The code in a page's prose, such as `petstore doctor`. */
export const spans = (page: Page): ReadonlyArray<string> =>
  [...prose(page).matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll(/\s+/g, " "))

/** The names by which links find a page's headings. */
export const anchors = (page: Page): ReadonlyArray<string> =>
  [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

/** A table, with its columns aligned. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [titles = [], ...others] = rows
  const widths = titles.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`
  const rule = widths.map((width) => "-".repeat(width))
  return [titles, rule, ...others].map(line).join("\n")
}
