import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { folder } from "../support/Folder.ts"
import { pet } from "../support/Importing.ts"
import { live } from "../support/Live.ts"
import { run } from "../support/Program.ts"
import { addPets } from "../support/Stock.ts"

live("a pet with a long name can be exported and imported in either format", function* () {
  const path = yield* folder
  const names = ["x", '"', "\n", "犬"].map((character) => character.repeat(1024 * 1024 + 1))
  yield* addPets(path, names.map((name) => pet({ name })).join(""))
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
