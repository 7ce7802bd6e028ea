/** A link to the installed version is switched while the service runs, as docs/deploying.md says. */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "../support/Folder.ts"
import { add, call, key } from "../support/Observed.ts"
import { main, open } from "../support/Process.ts"

live("a service whose link leads to another version serves pets without its folder", function* () {
  const path = yield* folder
  cpSync(dirname(main), join(path, "old/dist"), { recursive: true })
  symlinkSync(join(dirname(main), "../node_modules"), join(path, "old/node_modules"))
  writeFileSync(join(path, "old/package.json"), '{"type":"module"}')
  mkdirSync(join(path, "new"))
  symlinkSync("old", join(path, "current"))
  const server = yield* open(path, ["serve", "--port", "0"], {
    program: [process.execPath, join(path, "current/dist/main.js")],
    environment: { PETSTORE_API_KEYS: key }
  })
  const url = yield* Effect.promise(() => server.url())
  rmSync(join(path, "current"))
  symlinkSync("new", join(path, "current"))
  rmSync(join(path, "old"), { recursive: true })
  expect(yield* add(url)).toBe(201)
  for (const place of ["/v1/pets", "/v1/pets/1", "/openapi.json", "/readyz"])
    expect([place, yield* call(url, place)]).toEqual([place, 200])
  const { code } = yield* Effect.promise(() => server.stop("SIGTERM"))
  expect(code).toBe(0)
})
