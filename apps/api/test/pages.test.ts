/** The files that are generated: `npx vitest run test/pages.test.ts -u` writes them. */
import { describe, expect, it } from "@effect/vitest"
import { contract } from "@petstore/http-pets/PetStoreApi"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { Effect } from "effect"
import { pages } from "./support/CommandLine.ts"
import { folder, live } from "./support/Folder.ts"
import { table } from "./support/Markdown.ts"
import { run } from "./support/Program.ts"

const expectFile = (path: string, parts: ReadonlyArray<string>) =>
  expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot(`../../../${path}`)

it("the page of all commands has the help of each of them", () =>
  expectFile("docs/command-line.md", [
    "# Command line",
    "What `--help` prints. In a clone, write `npx pnpm petstore` for `petstore`. Options override the\n" +
      "[variable](configuration.md) in parentheses.",
    "Output is a table on a terminal, lines with tabs in a pipe, and JSON with `--json`. On a terminal, long names are cut, and\n" +
      "states have colours unless `NO_COLOR` is set. Messages go to standard error.",
    "For shell completion, add `source <(petstore --completions bash)` to `.bashrc`, the same with `zsh` to `.zshrc`, or\n" +
      "`petstore --completions fish | source` to `config.fish`.",
    ...pages.map(({ command, text }) => `## ${command}\n\n\`\`\`text\n${text}\`\`\``)
  ]))

it("the OpenAPI document is a file, which is read without starting anything", () =>
  expectFile("openapi.json", [JSON.stringify(OpenApiDocument.make(contract), null, 2)]))

interface Setting {
  readonly name: string
  readonly value: string
  readonly default: string
  readonly about: string
}

const settingsOf = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const shown = yield* run(yield* folder, ["config", "--json"], { environment })
    expect(shown).toMatchObject({ code: 0, stderr: "" })
    const settings: ReadonlyArray<Setting> = JSON.parse(shown.stdout)
    return settings
  })

/** Whether a default is a value, not words about one. */
const isValue = (text: string) => text !== "none" && /^[\w./:-]+$/.test(text)

describe("the settings", () => {
  live("have a page, with the default and the meaning of each", function* () {
    const rows = (yield* settingsOf({})).map(({ about, default: value, name }) => [
      `\`${name}\``,
      isValue(value) ? `\`${value}\`` : value,
      about
    ])
    const parts = [
      "# Configuration",
      "Environment variables, all optional. An empty one is not set. `petstore config` prints the value of each and where it\n" +
        "comes from; options such as `--port` override them.",
      table([["variable", "default", "meaning"], ...rows])
    ]
    yield* Effect.promise(() => expectFile("docs/configuration.md", parts))
  })

  live("have an example of a file of variables, with the default of each", function* () {
    const assignments = (yield* settingsOf({})).map(({ about, default: value, name }) =>
      isValue(value)
        ? { about, name, value }
        : { about: `${about} (default: ${value})`, name, value: "" }
    )
    const parts = [
      "# All settings and their defaults. Copy this file to petstore.env (Compose) or /etc/petstore/petstore.env (systemd), and\n" +
        "# remove the # before the variables that you set. The program itself reads no file.\n" +
        "# It is in the format of systemd's EnvironmentFile and of Docker's env_file: no quotes, no comments after values.",
      ...assignments.map(({ about, name, value }) => `# ${about}\n#${name}=${value}`),
      "# the password for PostgreSQL if DATABASE_URL has none; its driver reads this variable\n#PGPASSWORD="
    ]
    yield* Effect.promise(() => expectFile(".env.example", parts))
    const environment = Object.fromEntries(assignments.map(({ name, value }) => [name, value]))
    for (const { name, value, default: fallback } of yield* settingsOf(environment))
      expect([name, value]).toEqual([name, fallback])
  })
})

it("the page for callers has the operations and the introduction, which is read without starting anything", () => {
  const { info, paths } = OpenApiDocument.make(contract)
  const rows = Object.entries<Record<string, { readonly summary: string }>>(paths).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, { summary }]) => [
        `\`${method.toUpperCase()} ${contract.prefix}${path}\``,
        summary
      ])
  )
  return expectFile("docs/api.md", [
    "# API",
    "What callers need to know. `/docs` of a running service shows it, and sends requests. [openapi.json](../openapi.json) describes\n" +
      "every parameter, field and header. [The client](../packages/http-client) for TypeScript pages and retries by itself.",
    table([["operation", "what it does"], ...rows]),
    String(info.description).trimEnd()
  ])
})
