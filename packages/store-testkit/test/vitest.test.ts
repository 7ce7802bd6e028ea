import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import * as KeyLaws from "@petstore/store-testkit/KeyLaws"
import { durability, keeping, sharing } from "@petstore/store-testkit/Laws"
import { durableKeySuite, sharedSuite } from "@petstore/store-testkit/vitest"
import * as RightKeyStore from "./RightKeyStore.ts"
import * as RightStore from "./RightStore.ts"

/** Of each suite the first law that breaks, later ones that break, too, and earlier ones that hold. */
const laws = [...Object.values(keeping).slice(0, 3), ...Object.values(durability)]
/** Laws that only a suite for shared stores has, and one for durable stores of keys. */
const others = [sharing.atOnce.name, KeyLaws.durability.reopened.name]
const names = [
  ...["counts up", KeyLaws.durability.shared.name, ...others],
  ...laws.map(({ name }) => name)
]

const script = `
  const { startVitest } = await import("vitest/node")
  const vitest = await startVitest("test", [], {
    include: ["test/fixtures/*"],
    testNamePattern: ${JSON.stringify(names.map((name) => `${name}$`).join("|"))},
    watch: false
  })
  await vitest.close()
`

it("suites fail after their timeout, say which broken law to read first, and open exclusive stores once", async () => {
  const output = await new Promise<string>((resolve) => {
    const cwd = fileURLToPath(new URL("..", import.meta.url))
    const env = {
      ...process.env,
      PETSTORE_TEST_NOTES: undefined,
      NO_COLOR: "1",
      FORCE_COLOR: undefined
    }
    const words = ["--input-type=module", "--eval", script]
    execFile(process.execPath, words, { cwd, env }, (_, stdout, stderr) => resolve(stdout + stderr))
  })
  expect(output).toContain("Test timed out in 20ms.")
  expect(output).not.toContain("the place is locked")
  expect(output).toContain('the law "counts up" is broken: the count: expected 1, got 0')
  for (const name of others) expect(output).toContain(`the law "${name}" is broken`)
  const advice = /a store that (hangs|forgets) breaks \d+ laws\. Read this one first.*\n {2}(.+)/g
  const read = Array.from(output.matchAll(advice), ([, store, law]) => [store, law])
  expect(read).toEqual([
    ["hangs", Object.values(keeping)[0]?.name],
    ["forgets", durability.reopened.name]
  ])
})

// These have all laws. The stores in memory are tested by `suite` and `keySuite`, the example of a store by `durableSuite`.
sharedSuite("a right store that lasts and others share", RightStore.place)

durableKeySuite("a right store of keys that lasts", RightKeyStore.place)
