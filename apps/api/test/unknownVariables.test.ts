import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { examine } from "./support/Doctor.ts"
import { folder } from "./support/Folder.ts"
import { start } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"

const misspelt = {
  PETSTORE_RATELIMIT: "600/1m",
  PETSTORE_LOG_LEVEL: "debug",
  PETSTORE_NO_SUCH_THING_AT_ALL: "pet_secret"
}

describe("a variable that is named like a setting and is none", () => {
  it.scopedLive("is a warning of petstore doctor, which names the setting that was meant", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { code, findings, of } = yield* examine(path, misspelt)
      expect(code).toBe(0)
      expect(of("configuration")).toEqual(
        [
          ["PETSTORE_LOG_LEVEL", "did you mean LOG_LEVEL?"],
          ["PETSTORE_NO_SUCH_THING_AT_ALL", "petstore config prints all settings"],
          ["PETSTORE_RATELIMIT", "did you mean PETSTORE_RATE_LIMIT?"]
        ].map(([name, fix]) => ({
          subject: "configuration",
          state: "warning",
          message: `${name} is no setting, so it has no effect`,
          fix
        }))
      )
      expect(JSON.stringify(findings)).not.toContain("pet_secret")
    })
  )

  it.scopedLive("is reported beside invalid ones", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const environment = { PORT: "x", PETSTORE_PORT_2: "x", PETSTORE_WORKRES: "2" }
      const { of } = yield* examine(path, environment)
      expect(of("configuration")).toMatchObject([
        { state: "bad" },
        { state: "warning", message: expect.stringMatching(/^PETSTORE_PORT_2 is no setting/) },
        { state: "warning", fix: "did you mean PETSTORE_WORKERS?" }
      ])
    })
  )

  it.scopedLive("is logged once at the start", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const server = yield* start(path, misspelt)
      yield* Effect.promise(() => server.url())
      expect(linesOf(server.stdout, /is no setting/)).toMatchObject([
        { level: "warn", message: expect.stringMatching(/^PETSTORE_LOG_LEVEL .* LOG_LEVEL\?$/) },
        { level: "warn", message: expect.stringMatching(/^PETSTORE_NO_SUCH_THING_AT_ALL /) },
        { level: "warn", message: expect.stringMatching(/^PETSTORE_RATELIMIT .*RATE_LIMIT\?$/) }
      ])
      expect(server.stdout).not.toContain("pet_secret")
    })
  )
})

describe("a variable that others set", () => {
  it.scopedLive.each([
    { environment: { PETSTORE_TEST_POSTGRES: "x" }, owner: "tests" },
    { environment: { PETSTORE_RATELIMIT: "" }, owner: "Compose, for one that is not set," },
    {
      environment: {
        PETSTORE_SERVICE_HOST: "10.0.0.1",
        PETSTORE_SERVICE_PORT_HTTP: "80",
        PETSTORE_PORT: "tcp://10.0.0.1:80",
        PETSTORE_PORT_80_TCP_ADDR: "10.0.0.1"
      },
      owner: "Kubernetes"
    }
  ])("is none of ours: $owner", ({ environment }) =>
    Effect.gen(function* () {
      const path = yield* folder
      const { of } = yield* examine(path, environment)
      expect(of("configuration")).toMatchObject([{ state: "good" }])
    })
  )
})
