/** The files that are generated: `npx vitest run test/pages.test.ts -u` writes them. */
import { describe, expect, it } from "@effect/vitest"
import { contract } from "@petstore/http-pets/PetStoreApi"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { Array as Arr, Effect } from "effect"
import { type CommandPath, pathsOf } from "../src/cli/Command.ts"
import { exitCodes } from "../src/cli/CommandFailed.ts"
import { root } from "../src/commands/CommandLine.ts"
import { folder, live } from "./support/Folder.ts"
import { table } from "./support/Markdown.ts"
import { run } from "./support/Program.ts"

const expectFile = (path: string, parts: ReadonlyArray<string>) =>
  expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot(`../../../${path}`)

/** Options of many commands, which the page describes once. */
const common = ["--database", "--url", "--json", "--env-file", "--help"]

/** How a command is called, without the common options. */
const synopsis = ({ command, path }: CommandPath): string => {
  const ofCommand = command.flags.filter(({ name }) => !common.includes(name))
  const words = ofCommand.map(({ isRequired, isRepeated, name, value }) => {
    const option = value === undefined ? name : `${name} ${value}`
    return isRequired ? option : `[${option}]${isRepeated ? "…" : ""}`
  })
  return [path, ...command.args.map(({ name }) => `<${name}>`), ...words].join(" ")
}

it("the page of all commands has the synopsis and the notes of each of them", () => {
  const paths = pathsOf(root)
  const flags = paths.flatMap(({ command }) => command.flags)
  const described = common.map((name) => {
    const { about = "", value } = flags.find((flag) => flag.name === name) ?? {}
    return `- \`${[name, value].filter(Boolean).join(" ")}\`: ${about}`
  })
  const runnable = paths.filter(({ command }) => command.run !== undefined)
  const notes = paths.flatMap(({ command: { notes = [] }, path }) =>
    notes.length === 0 ? [] : [`- \`${path}\`: ${notes.join("\n  ")}`]
  )
  const codes = Object.values(exitCodes).map(({ code, meaning }) => `${code} ${meaning}`)
  return expectFile("docs/command-line.md", [
    "# Command line",
    "`--help` after a command describes its options and arguments. In a clone, write `npx pnpm petstore` for `petstore`.\n" +
      "Commands that use a database, a service or print results also have these options, which override\n" +
      "[variables](configuration.md):",
    described.join("\n"),
    "Output is a table on a terminal and lines with tabs in a pipe. `NO_COLOR` turns colours off. Messages go to standard\n" +
      "error.",
    `Exit codes: ${codes.join("; ")}.`,
    "## Commands",
    `\`\`\`text\n${runnable.map(synopsis).join("\n")}\n\`\`\``,
    "## Notes",
    notes.join("\n")
  ])
})

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

/** The settings of each topic, by how their names begin; the first topic that fits has a setting. */
const topics = {
  Logs: /^LOG_/,
  Traces: /^OTEL_/,
  "Limits and times":
    /_(?:RATE_LIMIT|MAX_\w+|REQUEST_TIMEOUT_SECONDS|KEEP_ALIVE_SECONDS|SEND_TIMEOUT_SECONDS|PRESTOP_SECONDS|DRAIN_SECONDS)$/,
  Database: /DATABASE|_(?:CACHE_BYTES|POOL_SIZE|START_TIMEOUT_SECONDS|READ_ONLY)$/,
  Keys: /_(?:API_KEYS|PRINT_FIRST_KEY)$/,
  "The client `petstore pets`": /^PETSTORE_(?:URL|API_KEY)$/,
  Addresses: /^HOST$|PORT$|_(?:URL|CORS_ORIGINS|TRUSTED_HOPS)$/
}

describe("the settings", () => {
  live("have a page, with the default and the meaning of each, by topic", function* () {
    const settings = yield* settingsOf({})
    const topicOf = ({ name }: Setting) =>
      Object.entries(topics).find(([, pattern]) => pattern.test(name))?.[0]
    const ofTopic = Arr.groupBy(settings, (setting) => topicOf(setting) ?? "without a topic")
    expect(Object.keys(ofTopic).sort()).toEqual(Object.keys(topics).sort())
    const sections = Object.entries(ofTopic).map(([topic, settings]) => {
      const lines = settings.map(
        ({ about, default: value, name }) =>
          `- \`${name}\` (${isValue(value) ? `\`${value}\`` : value}): ${about}`
      )
      return `## ${topic}\n\n${lines.join("\n")}`
    })
    const parts = [
      "# Configuration",
      "Environment variables, all optional, with their defaults in parentheses. An empty one is not set. `petstore config`\n" +
        "prints the value of each and where it comes from; options such as `--port` override them.",
      ...sections
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
        "# remove the # before the variables that you set. The program reads it only by --env-file.\n" +
        "# It is in the format of systemd's EnvironmentFile and of Docker's env_file: no quotes, no comments after values.",
      ...assignments.map(({ about, name, value }) => `# ${about}\n#${name}=${value}`),
      "# read by the driver of PostgreSQL\n#PGPASSWORD="
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
    "`/docs` of a running service shows this page. [openapi.json](../openapi.json) describes every parameter, field and header.\n" +
      "[The client](../packages/http-client) for TypeScript pages and retries by itself.",
    table([["operation", "what it does"], ...rows]),
    String(info.description).trimEnd()
  ])
})
