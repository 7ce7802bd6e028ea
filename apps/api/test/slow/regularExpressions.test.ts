/** Every regular expression takes time linear in its input. */
import { describe, expect, it } from "@effect/vitest"
import * as acorn from "acorn"
import { transformSync } from "esbuild"
import { checkSync } from "recheck"
import { sources } from "../support/Sources.ts"

/** Steps are counted, not time, so that the result does not depend on the machine. */
const search = {
  checker: "fuzz",
  randomSeed: 1,
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null
} as const

/** Proves it where the checker by automaton can, and else searches, the same way every time. */
const complexityOf = ({ flags, source }: RegExp) => {
  const proved = checkSync(source, flags, { checker: "automaton", timeout: null })
  const found = proved.status === "unknown" ? checkSync(source, flags, search) : proved
  return found.status === "vulnerable" ? found.complexity.type : found.status
}

const expressions = new Map<string, RegExp>()
// What only measures or attacks the service reads nothing that a caller sends.
const checked = sources.filter(({ name }) => !/^apps\/(?:bench|outside|torture)\//.test(name))
for (const { text } of checked) {
  const { code } = transformSync(text, { loader: "ts" })
  for (const token of acorn.tokenizer(code, { ecmaVersion: 2024, sourceType: "module" })) {
    if (token.type !== acorn.tokTypes.regexp) continue
    const literal = code.slice(token.start, token.end)
    const end = literal.lastIndexOf("/")
    expressions.set(literal, new RegExp(literal.slice(1, end), literal.slice(end + 1)))
  }
}

// One after another: the checker blocks the process, and the test runner wants an answer from it now and then.
describe.sequential("the regular expressions", () => {
  it("are found, and a slow one is recognised", () => {
    expect(expressions.size).toBeGreaterThan(20)
    expect(complexityOf(/^(?: *; *)*$/)).toBe("exponential")
    expect(complexityOf(/\/+$/)).toBe("polynomial")
  })

  it.each([...expressions])("take linear time: %s", async (_, expression) => {
    await new Promise(setImmediate)
    expect(complexityOf(expression)).toBe("safe")
  })
})
