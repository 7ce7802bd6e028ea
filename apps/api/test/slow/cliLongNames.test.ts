import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { live } from "../support/Live.ts"
import { run, serve } from "../support/Process.ts"

const mebi = 1024 * 1024

live("a pet with a long name can be exported and imported in either format", function* () {
  const path = yield* folder
  const { url } = yield* serve(path, {
    PETSTORE_API_KEYS: "the-key-of-the-tests",
    PETSTORE_MAX_BODY_BYTES: String(64 * mebi)
  })
  const names = ["x", '"', "\n", "犬"].map((character) => character.repeat(mebi + 1))
  for (const name of names) {
    const body = JSON.stringify({ name, categoryId: 1 })
    const headers = {
      Authorization: "Bearer the-key-of-the-tests",
      "Content-Type": "application/json"
    }
    const answer = yield* Effect.promise(() =>
      fetch(`${url}/v1/pets`, { method: "POST", headers, body })
    )
    expect(answer.status).toBe(201)
  }
  for (const format of ["ndjson", "csv"]) {
    const first = yield* run(path, ["export", `1.${format}`])
    expect(first).toMatchObject({ code: 0, stderr: "exported 4 pets\n" })
    const at = ["--database", `sqlite:${format}.db`]
    const imported = yield* run(path, ["import", `1.${format}`, ...at])
    expect(imported).toMatchObject({ code: 0, stderr: "imported 4 pets\n" })
    yield* run(path, ["export", `2.${format}`, ...at])
    const [one, two] = [1, 2].map((nth) => readFileSync(join(path, `${nth}.${format}`)))
    expect(one?.equals(two ?? Buffer.of())).toBe(true)
  }
})
