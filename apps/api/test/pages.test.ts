/** The files that are generated: `npx vitest run test/pages.test.ts -u` writes them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { table } from "./support/Markdown.ts"
import { folder, run } from "./support/Program.ts"

// TypeScript rejects imports from another project's sources, so the paths are built at run time.
const source = (path: string) => new URL(`../src/${path}`, import.meta.url).href
const Help: typeof import("../src/cli/Help.ts") = await import(source("cli/Help.ts"))
const CommandLine: typeof import("../src/commands/CommandLine.ts") = await import(
  source("commands/CommandLine.ts")
)

const expectFile = (path: string, parts: ReadonlyArray<string>) =>
  expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot(`../../../${path}`)

describe("the page of all commands", () => {
  type Place = Parameters<typeof Help.render>[0]
  const places = (entry: Place["entry"], command = entry.name): ReadonlyArray<Place> => [
    { command, entry },
    ...entry.entries.flatMap((each) => places(each, `${command} ${each.name}`))
  ]

  it("has the help of each of them", () =>
    expectFile("docs/command-line.md", [
      "# Command line",
      "This page is what `--help` prints. In a clone, write `npx pnpm petstore` for `petstore`. Options override the\n" +
        "environment variable in parentheses, for one command; [Configuration](configuration.md) lists the variables.",
      "Output is a table on a terminal, lines with tabs in a pipe, and JSON with `--json`. Messages, warnings and progress go to\n" +
        "standard error.",
      "For shell completion, add `source <(petstore --completions bash)` to `.bashrc`, the same with `zsh` to `.zshrc`, or\n" +
        "`petstore --completions fish | source` to `config.fish`.",
      ...places(CommandLine.root).map(
        (place) => `## ${place.command}\n\n\`\`\`text\n${Help.render(place)}\n\`\`\``
      )
    ]))
})

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
  it.scopedLive("have a page, with the default and the meaning of each", () =>
    Effect.gen(function* () {
      const rows = (yield* settingsOf({})).map(({ about, default: value, name }) => [
        `\`${name}\``,
        isValue(value) ? `\`${value}\`` : value,
        about
      ])
      const parts = [
        "# Configuration",
        "Environment variables, all optional. An empty variable is not set. `petstore config` prints the value of each\n" +
          "and where it comes from; options such as `--port` override variables for one command.",
        table([["variable", "default", "meaning"], ...rows])
      ]
      yield* Effect.promise(() => expectFile("docs/configuration.md", parts))
    })
  )

  it.scopedLive("have an example of a file of variables, with the default of each", () =>
    Effect.gen(function* () {
      const assignments = (yield* settingsOf({})).map(({ about, default: value, name }) =>
        isValue(value)
          ? { about, name, value }
          : { about: `${about} (default: ${value})`, name, value: "" }
      )
      const parts = [
        "# All settings and their defaults. Copy this file, and remove the # before the variables that you set.\n" +
          "# It is in the format of systemd's EnvironmentFile and of Docker's env_file: no quotes, no comments after values.",
        ...assignments.map(({ about, name, value }) => `# ${about}\n#${name}=${value}`)
      ]
      yield* Effect.promise(() => expectFile(".env.example", parts))
      const environment = Object.fromEntries(assignments.map(({ name, value }) => [name, value]))
      for (const { name, value, default: fallback } of yield* settingsOf(environment))
        expect([name, value]).toEqual([name, fallback])
    })
  )
})
