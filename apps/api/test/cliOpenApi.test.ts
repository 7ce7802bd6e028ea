import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./support/Folder.ts"
import { run, runOnTerminal, start } from "./support/Program.ts"

describe.concurrent("petstore openapi", () => {
  it.scopedLive("prints the document that the server serves, in a pipe and on a terminal", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const program = yield* start(path, {
        DATABASE_URL: "memory:",
        PETSTORE_API_KEYS: "the-key-of-the-tests"
      })
      const url = yield* Effect.promise(() => program.url())
      const served = yield* Effect.promise(async () => (await fetch(`${url}/openapi.json`)).json())
      const printed = yield* run(path, ["openapi"])
      expect(printed).toMatchObject({ code: 0, stderr: "" })
      expect(JSON.parse(printed.stdout)).toEqual(served)
      const { code, screen } = yield* runOnTerminal(path, ["openapi"])
      expect(code).toBe(0)
      expect(screen).toBe(printed.stdout.replaceAll("\n", "\r\n"))
    })
  )

  it.scopedLive("has the URLs of the environment, and needs no database or key", () =>
    Effect.gen(function* () {
      const printed = yield* run(yield* folder, ["openapi"], {
        environment: {
          DATABASE_URL: "redis:none",
          PETSTORE_BASE_URL: "https://pets.example.org/",
          PETSTORE_STAGING_URL: "https://staging.example.org/v1"
        }
      })
      expect(printed).toMatchObject({ code: 0, stderr: "" })
      const { servers }: { servers: ReadonlyArray<{ url: string }> } = JSON.parse(printed.stdout)
      expect(servers.map(({ url }) => url)).toEqual([
        "https://pets.example.org/v1",
        "https://staging.example.org/v1"
      ])
    })
  )

  it.scopedLive("exits with 2 on invalid URLs, and reports each", () =>
    Effect.gen(function* () {
      const printed = yield* run(yield* folder, ["openapi"], {
        environment: { PETSTORE_BASE_URL: "pets", PETSTORE_STAGING_URL: "ftp://pets" }
      })
      expect(printed).toMatchObject({ code: 2, stdout: "" })
      expect(printed.stderr.split("\n")).toEqual([
        expect.stringMatching(/^PETSTORE_BASE_URL must be a URL .*, not "pets"$/),
        expect.stringMatching(/^PETSTORE_STAGING_URL must be a URL .*, not "ftp:\/\/pets"$/),
        ""
      ])
    })
  )
})
