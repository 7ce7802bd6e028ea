import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"
import { run, runOnTerminal, serve } from "./support/Program.ts"

describe("petstore openapi", () => {
  live("prints the document that the server serves, in a pipe and on a terminal", function* () {
    const path = yield* folder
    const { url } = yield* serve(path, {
      DATABASE_URL: "memory:",
      PETSTORE_API_KEYS: "the-key-of-the-tests"
    })
    const served = yield* Effect.promise(async () => (await fetch(`${url}/openapi.json`)).json())
    const printed = yield* run(path, ["openapi"])
    expect(printed).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(printed.stdout)).toEqual(served)
    const { code, screen } = yield* runOnTerminal(path, ["openapi"])
    expect(code).toBe(0)
    expect(screen).toBe(printed.stdout.replaceAll("\n", "\r\n"))
  })

  live("has the URLs of the environment, and needs no database or key", function* () {
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

  live("exits with 2 on invalid URLs, and reports each", function* () {
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
})
