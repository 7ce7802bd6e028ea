/** `petstore config`, and variables as containers pass them. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "./support/Folder.ts"
import { run, serve } from "./support/Program.ts"

type Shown = Readonly<Record<"name" | "value" | "source" | "default" | "about", string>>

const settingsOf = (stdout: string): Readonly<Record<string, Shown>> =>
  Object.fromEntries(JSON.parse(stdout).map((setting: Shown) => [setting.name, setting]))

describe("petstore config", () => {
  live("prints every setting, its source and its default, secrets masked", function* () {
    const { code, stderr, stdout } = yield* run(
      yield* folder,
      ["config", "--port", "8080", "--json"],
      {
        environment: {
          PORT: "9090",
          HOST: "0.0.0.0",
          LOG_LEVEL: "warn",
          LOG_FORMAT: "",
          PETSTORE_API_KEYS: "a-secret-of-seventeen",
          PETSTORE_API_KEY: "a-secret-too",
          OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret",
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:secret@collector:4318",
          OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/v1/traces?api-key=secret",
          PETSTORE_CORS_ORIGINS: "https://me:secret@pets.example.org"
        }
      }
    )
    expect(code).toBe(2)
    expect(stderr).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT must .*"http:\/\/\*\*\*@collector:4318"/m)
    const shown = settingsOf(stdout)
    expect(shown["PORT"]).toEqual({
      name: "PORT",
      value: "8080",
      source: "--port",
      default: "3000",
      about: "the port to listen on; 0 for any free port"
    })
    for (const [name, ...expected] of [
      ["HOST", "0.0.0.0", "environment"],
      ["DATABASE_URL", "sqlite:data/petstore.db", "default"],
      ["LOG_LEVEL", "warn", "environment"],
      ["LOG_FORMAT", "pretty on a terminal, else json", "default"],
      ["PETSTORE_API_KEYS", "***", "environment"],
      ["PETSTORE_API_KEY", "***", "environment"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "***", "environment"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://***@collector:4318", "environment"],
      ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/v1/traces?***", "environment"]
    ] as const) {
      expect([shown[name]?.value, shown[name]?.source]).toEqual(expected)
    }
    expect(stdout + stderr).not.toContain("secret")
  })

  live("prints nothing of a database's URL that is invalid; nor do other commands", function* () {
    const path = yield* folder
    const environment = { DATABASE_URL: "postgres://me:1/secret@host/pets", PORT: "0" }
    const printed = yield* run(path, ["config", "--json"], { environment })
    expect(settingsOf(printed.stdout)["DATABASE_URL"]?.value).toBe("***")
    for (const words of [["doctor"], ["keys", "list"], ["serve"]]) {
      const { stderr, stdout } = yield* run(path, words, { environment })
      expect(stdout + stderr).toMatch(/DATABASE_URL must be memory: or sqlite:/)
      expect(stdout + stderr).not.toContain("secret")
    }
  })
})

live("variables that are empty, as a Compose file passes them, are not set", function* () {
  const { stdout } = yield* run(yield* folder, ["config", "--json"])
  const empty = Object.fromEntries(
    Object.keys(settingsOf(stdout))
      .filter((name) => name !== "PORT" && name !== "DATABASE_URL")
      .map((name) => [name, ""])
  )
  expect(Object.keys(empty).length).toBeGreaterThan(30)
  const path = yield* folder
  const { program, url } = yield* serve(path, { ...empty, DATABASE_URL: "" })
  expect((yield* Effect.promise(() => fetch(`${url}/readyz`))).status).toBe(200)
  const ended = yield* Effect.promise(() => program.stop("SIGTERM"))
  expect(ended).toMatchObject({ code: 0, stderr: "" })
})

live("the files of a database can be read by their owner only, backups included", function* () {
  const path = yield* folder
  yield* serve(path)
  const { code } = yield* run(path, ["backup", "copy.db"])
  expect(code).toBe(0)
  expect((statSync(join(path, "data")).mode & 0o777).toString(8)).toBe("700")
  for (const name of ["petstore.db", "petstore.db-wal", "petstore.db-shm", "../copy.db"]) {
    const { mode } = statSync(join(path, "data", name))
    expect([name, (mode & 0o777).toString(8)]).toEqual([name, "600"])
  }
})
