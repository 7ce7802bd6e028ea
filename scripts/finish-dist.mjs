// Finishes what the compiler wrote to `dist` of the current package: removes the output of sources that are gone, and
// marks the constants and the parents of the classes of each module as pure, so that bundlers leave out unused ones.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { decode, encode } from "@jridgewell/sourcemap-codec"
import { parse } from "acorn"

const opening = "/*#__PURE__*/ (() => ("
const closing = "))()"

/** Whether bundlers know without a mark that nothing happens when an expression is evaluated. */
const isPlain = (node) => /^(?:Literal|Identifier|(?:Arrow)?FunctionExpression)$/.test(node.type)

/** The expressions that a statement of a module evaluates to define something. */
const valuesOf = (statement) => {
  const { declaration, declarations = [], superClass, type } = statement
  if (/^Export/.test(type)) return declaration ? valuesOf(declaration) : []
  const values = [superClass, ...declarations.map(({ init }) => init)]
  return values.filter((value) => value && !isPlain(value))
}

/** What to insert into the text of a module, and where. */
const insertionsOf = (text) =>
  parse(text, { ecmaVersion: "latest", sourceType: "module" })
    .body.flatMap(valuesOf)
    .filter(({ start }) => !text.startsWith(opening, start - "/*#__PURE__*/ ".length))
    .flatMap(({ end, start }) => [
      { at: start, text: opening },
      { at: end, text: closing }
    ])

/** The mappings of a module's source map after these insertions. */
const shifted = (mappings, text, insertions) => {
  const lines = decode(mappings)
  for (const insertion of insertions.toReversed()) {
    const before = text.slice(0, insertion.at).split("\n")
    for (const segment of lines[before.length - 1] ?? []) {
      if (segment[0] >= before.at(-1).length) segment[0] += insertion.text.length
    }
  }
  return encode(lines)
}

const markPure = (file) => {
  const text = readFileSync(file, "utf8")
  const insertions = insertionsOf(text)
  if (insertions.length === 0) return
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8"))
  const mappings = shifted(map.mappings, text, insertions)
  writeFileSync(`${file}.map`, JSON.stringify({ ...map, mappings }))
  const marked = insertions.reduceRight(
    (after, { at, text: inserted }) => after.slice(0, at) + inserted + after.slice(at),
    text
  )
  writeFileSync(file, marked)
}

for (const name of readdirSync("dist", { recursive: true })) {
  const module = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(name)?.[1]
  if (module === undefined) continue
  const file = join("dist", name)
  if (!existsSync(join("src", `${module}.ts`))) rmSync(file)
  else if (name.endsWith(".js")) markPure(file)
}
