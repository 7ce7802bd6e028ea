/** The pages of `docs` that are generated: `npx vitest run test/pages.test.ts -u` writes them. */
import { describe, expect, it } from "@effect/vitest"

// TypeScript rejects imports from another project's sources, so the paths are built at run time.
const source = (path: string) => new URL(`../src/${path}`, import.meta.url).href
const Help: typeof import("../src/cli/Help.ts") = await import(source("cli/Help.ts"))
const CommandLine: typeof import("../src/commands/CommandLine.ts") = await import(
  source("commands/CommandLine.ts")
)

const expectPage = (name: string, parts: ReadonlyArray<string>) =>
  expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot(`../../../docs/${name}`)

describe("the page of all commands", () => {
  type Place = Parameters<typeof Help.render>[0]
  const places = (entry: Place["entry"], command = entry.name): ReadonlyArray<Place> => [
    { command, entry },
    ...entry.entries.flatMap((each) => places(each, `${command} ${each.name}`))
  ]

  it("has the help of each of them", () =>
    expectPage("command-line.md", [
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
