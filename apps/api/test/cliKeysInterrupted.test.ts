import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, run } from "./support/Program.ts"
import { query } from "./support/Sqlite.ts"
import { createKey } from "./support/Stock.ts"

const hook = new URL("./support/interruptAtMessage.mjs", import.meta.url).href
const keyText = /^pet_[0-9a-v]{10}_[0-9a-v]{39}\n$/

/** Interrupts the command at a message of its threads. Returns its result and the keys in the database. */
const interruptedAt = (message: number, words: (path: string) => Effect.Effect<Array<string>>) =>
  Effect.gen(function* () {
    const path = yield* folder
    const given = yield* words(path)
    const environment = { NODE_OPTIONS: `--import=${hook}`, INTERRUPT_AT_MESSAGE: String(message) }
    const result = yield* run(path, given, { environment })
    const ids = query(join(path, "data/petstore.db"), "SELECT id FROM api_keys ORDER BY created")
    return { ...result, ids }
  }).pipe(Effect.scoped)

const create = (_: string) => Effect.succeed(["keys", "create", "--name", "new"])
const rotate = (path: string) => Effect.map(createKey(path), ({ id }) => ["keys", "rotate", id])

describe.concurrent("petstore keys, interrupted at any message of its threads", () => {
  it.scopedLive.each([
    { verb: "create", words: create, before: 0 },
    { verb: "rotate", words: rotate, before: 1 }
  ])("has issued no key with $verb, or prints it and exits with 0", ({ before, words }) =>
    Effect.gen(function* () {
      const outcomes: Array<string> = []
      for (let message = 1; outcomes.at(-1) !== "not interrupted"; message++) {
        const { code, ids, stderr, stdout } = yield* interruptedAt(message, words)
        const isIssued = ids.length > before
        if (isIssued) {
          expect(stdout).toMatch(keyText)
          expect(stdout).toContain(`pet_${ids.at(-1)}_`)
        } else expect(stdout).toBe("")
        expect(code).toBe(isIssued ? 0 : 130)
        const isInterrupted = stderr === "interrupted\n"
        outcomes.push(isInterrupted ? (isIssued ? "shown" : "none") : "not interrupted")
      }
      expect(outcomes).toContain("shown")
    })
  )
})
