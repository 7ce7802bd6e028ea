/** A link to the installed version is switched while the service runs, as docs/deploying.md says. */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { live } from "../support/Live.ts"
import { add, call, key } from "../support/Observed.ts"
import { main, open } from "../support/Process.ts"
import { ready, signal } from "../support/Workers.ts"

/** A service that is started through a link to its version, which leads to another version afterwards. */
const upgraded = (workers: number) =>
  Effect.gen(function* () {
    const path = yield* folder
    cpSync(dirname(main), join(path, "old/dist"), { recursive: true })
    symlinkSync(join(dirname(main), "../node_modules"), join(path, "old/node_modules"))
    const manifest = '{"type":"module"}'
    writeFileSync(join(path, "old/package.json"), manifest)
    mkdirSync(join(path, "new/dist"), { recursive: true })
    writeFileSync(join(path, "new/package.json"), manifest)
    writeFileSync(join(path, "new/dist/main.js"), "process.exit(1)")
    symlinkSync("old", join(path, "current"))
    const server = yield* open(path, ["serve", "--port", "0"], {
      program: [process.execPath, join(path, "current/dist/main.js")],
      environment: { PETSTORE_API_KEYS: key, PETSTORE_WORKERS: String(workers) }
    })
    const url = yield* Effect.promise(() => server.url())
    const processes = workers > 1 ? yield* ready(server, workers) : []
    rmSync(join(path, "current"))
    symlinkSync("new", join(path, "current"))
    return { path, processes, server, url }
  })

describe("a service whose link leads to another version", () => {
  live("starts workers of its own version", function* () {
    const { processes, server, url } = yield* upgraded(2)
    signal(processes.slice(1), "SIGKILL")
    yield* ready(server, 3)
    expect(yield* call(url, "/v1/pets")).toBe(200)
    const { code } = yield* Effect.promise(() => server.stop("SIGTERM"))
    expect(code).toBe(0)
  })

  live("serves pets without its folder, if it has no workers", function* () {
    const { path, server, url } = yield* upgraded(1)
    rmSync(join(path, "old"), { recursive: true })
    expect(yield* add(url)).toBe(201)
    for (const place of ["/v1/pets", "/v1/pets/1", "/openapi.json", "/readyz"])
      expect([place, yield* call(url, place)]).toEqual([place, 200])
    const { code } = yield* Effect.promise(() => server.stop("SIGTERM"))
    expect(code).toBe(0)
  })
})
