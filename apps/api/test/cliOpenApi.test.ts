/** The command `petstore openapi`, from its words to what it prints. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { add } from "./support/Calls.ts"
import { folder, live } from "./support/Folder.ts"
import { run, runOnTerminal, serve } from "./support/Program.ts"
import type { Result } from "./support/Running.ts"

const serversOf = ({ stdout }: Result) => {
  const { servers }: { servers: ReadonlyArray<{ url: string }> } = JSON.parse(stdout)
  return servers.map(({ url }) => url)
}

describe("petstore openapi", () => {
  live("prints the document that the server serves, in a pipe and on a terminal", function* () {
    const path = yield* folder
    const urls = {
      PETSTORE_BASE_URL: "https://v1/my%20shop/v1/",
      PETSTORE_STAGING_URL: "https://v1"
    }
    const key = "the-key-of-the-tests"
    const { url } = yield* serve(path, { ...urls, DATABASE_URL: "memory:", PETSTORE_API_KEYS: key })
    const served = yield* Effect.promise(async () => (await fetch(`${url}/openapi.json`)).json())
    // It needs no database and no key.
    const environment = { ...urls, DATABASE_URL: "redis:none" }
    const printed = yield* run(path, ["openapi"], { environment })
    expect(printed).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(printed.stdout)).toEqual(served)
    expect(serversOf(printed)).toEqual(["https://v1/my%20shop/v1", "https://v1/v1"])
    const { code, screen } = yield* runOnTerminal(path, ["openapi"], { environment })
    expect(code).toBe(0)
    expect(screen).toBe(printed.stdout.replaceAll("\n", "\r\n"))
    expect(serversOf(yield* run(path, ["openapi"]))).toEqual(["/v1"])
    // Links have the path.
    expect((yield* add(url, key, "Rex")).location).toBe("/my%20shop/v1/pets/1")
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
