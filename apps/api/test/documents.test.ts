/** What the Markdown files say is true: their links, paths, variables, commands and JSON. */
import { copyFileSync, existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { call } from "./support/Calls.ts"
import * as CommandLine from "./support/CommandLine.ts"
import { folder, live } from "./support/Folder.ts"
import * as Markdown from "./support/Markdown.ts"
import * as Process from "./support/Process.ts"
import { run, serve } from "./support/Program.ts"

/** Runs a check on each page, and names the pages with what it found. */
const findings = (check: (page: Markdown.Page) => ReadonlyArray<string>) =>
  Markdown.pages.flatMap((page) => check(page).map((finding) => `${page.path}: ${finding}`))

describe("the Markdown files", () => {
  it("are found", () => {
    const paths = Markdown.pages.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining(["README.md", "docs/operating.md", "packages/domain/README.md"])
    )
  })

  it("link to files and headings that exist", () => {
    const broken = findings((page) =>
      [...Markdown.prose(page).matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)/g)].flatMap(
        ([, link = ""]) => {
          if (/^https?:/.test(link)) return []
          const [file = "", anchor] = link.split("#")
          const target = file === "" ? page.path : normalize(join(dirname(page.path), file))
          if (!existsSync(join(Markdown.root, target))) return [link]
          if (anchor === undefined) return []
          return Markdown.anchors(Markdown.page(target)).includes(anchor) ? [] : [link]
        }
      )
    )
    expect(broken).toEqual([])
  })

  it("name paths that exist", () => {
    const paths = /^(?:apps|deploy|docs|examples|packages|scripts)\/[\w./-]*\w$/
    const broken = findings((page) =>
      [
        ...Markdown.spans(page),
        ...Markdown.blocks(page, "sh").flatMap((code) => code.split(/\s+/))
      ].filter(
        (word) =>
          paths.test(word) &&
          // Generated.
          !/\/dist\/|^docs\/api$|<|…/.test(word) &&
          !existsSync(join(Markdown.root, word))
      )
    )
    expect(broken).toEqual([])
  })

  live("name variables that exist", function* () {
    const { stdout } = yield* run(yield* folder, ["config", "--json"])
    const settings: ReadonlyArray<{ readonly name: string }> = JSON.parse(stdout)
    const names = new Set(settings.map(({ name }) => name))
    const variables = /\b(?:PETSTORE|OTEL|LOG)_[A-Z_]*[A-Z]\b/g
    const unknown = findings(({ text }) =>
      [...text.matchAll(variables)].flatMap(([name]) => (names.has(name) ? [] : [name]))
    )
    expect(unknown).toEqual([])
  })

  it("have JSON that parses", () => {
    const broken = findings((page) =>
      [
        ...Markdown.blocks(page, "json"),
        ...Markdown.blocks(page, "jsonl").flatMap((lines) => lines.trim().split("\n"))
      ].flatMap((text) =>
        Either.match(
          Either.try(() => JSON.parse(text)),
          {
            onLeft: String,
            onRight: () => []
          }
        )
      )
    )
    expect(broken).toEqual([])
  })

  it("have commands that exist, with options that exist", () => {
    const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(Markdown.root, "package.json"), "utf8")
    )
    const others = ["petstore", "install", "exec", "pack", "rebuild"]
    const commands = [...others, ...Object.keys(manifest.scripts)]
    const before =
      /^(?:export |sudo (?:-u \w+ )?|docker (?:compose )?(?:--profile \w+ )?exec \w+ |kubectl exec \S+ -- )?(?:[A-Z_]+=\S* )*/
    const problemOf = (line: string): ReadonlyArray<string> => {
      const [, script] = /^npx pnpm (?:--\S+ )*([\w:]+)/.exec(line) ?? []
      if (script !== undefined && !commands.includes(script)) return [line]
      const [, rest] = /^(?:npx pnpm (?:--silent )?)?petstore((?: .*)?)$/.exec(line) ?? []
      if (rest === undefined || /…|<.*>/.test(rest)) return []
      const words = rest.split(/[|;#>]|&&/)[0]?.match(/"[^"]*"|\S+/g) ?? []
      if (words[0] === "--version") return []
      const problem = CommandLine.problemOf(words)
      // A sentence may name a command without all it needs.
      return problem === undefined || problem.includes("must be given")
        ? []
        : [`${line}: ${problem}`]
    }
    const broken = findings((page) =>
      [
        ...Markdown.spans(page),
        ...Markdown.blocks(page, "sh").flatMap((code) => code.replaceAll("\\\n", " ").split("\n"))
      ]
        .map((line) => line.trim().replace(before, ""))
        .flatMap(problemOf)
    )
    expect(broken).toEqual([])
  })
})

it("the settings of the editor name paths that exist", () => {
  const settings = JSON.parse(readFileSync(join(Markdown.root, ".vscode/settings.json"), "utf8"))
  const paths = ["typescript.tsdk", "typescript.tsserver.pluginPaths"].flatMap(
    (name): ReadonlyArray<string> => settings[name]
  )
  expect(paths.filter((path) => !existsSync(join(Markdown.root, path)))).toEqual([])
})

describe("the figures of speed", () => {
  const published = Markdown.page("apps/bench/results/bench.json").text

  it.each(["docs/speed.md", "docs/speed.svg"])("are those of the published run in %s", (path) => {
    const factors = published.matchAll(/(?<="(?:oursToIt|ratio)": )[\d.]+|[\d.]+(?=×)/g)
    const known = new Set([...factors].map(([factor]) => Number(factor).toFixed(2)))
    const shown = [...Markdown.page(path).text.matchAll(/\d+\.\d\d(?=×)/g)].map(
      ([figure]) => figure
    )
    expect(shown.length).toBeGreaterThan(2)
    expect(shown.filter((figure) => !known.has(figure))).toEqual([])
  })

  it("are rounded in the README", () => {
    interface Median {
      readonly work: string
      readonly server: string
      readonly oursToIt: number
    }
    const { medians }: { readonly medians: ReadonlyArray<Median> } = JSON.parse(published)
    const ratioTo = (name: string) =>
      medians.find(({ server, work }) => work === name && server === "fastify")?.oursToIt ?? 0
    const lists = ["list20", "status", "list100"].map((work) => Math.floor(ratioTo(work)))
    const [least, most] = [Math.min(...lists), Math.max(...lists)]
    expect(Markdown.page("README.md").text.replaceAll(/\s+/g, " ")).toContain(
      `lists are ${least} to ${most} times as fast as Fastify, creates ${ratioTo("create").toFixed(1)} times, single pets ${ratioTo("get").toFixed(1)} times`
    )
  })
})

const petstore = `petstore() { '${process.execPath}' '${Process.main}' "$@"; }`

/** Runs commands as a page has them, with the built program. */
const runCommands = (
  path: string,
  commands: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) => {
  const code = commands.join("\n").replaceAll(/npx pnpm (?:--silent )?petstore/g, "petstore")
  const program = ["bash", "-euo", "pipefail"] as const
  return Process.run(path, ["-c", `${petstore}\n${code}`], { program, environment })
}

describe("the commands", () => {
  live("of the README's first five minutes do what it says", function* () {
    const path = yield* folder
    const { url } = yield* serve(path)
    const [, create = "", ...blocks] = Markdown.blocks(Markdown.page("README.md"), "sh")
    const key = (yield* runCommands(path, [create])).stdout.trim()
    expect(key).toMatch(/^pet_\w+$/)
    expect((yield* call(`${url}/v1/pets`, key)).status).toBe(200)
    const commands = blocks.map((code) => code.replaceAll("http://127.0.0.1:3000", url))
    const { stderr, stdout } = yield* runCommands(path, commands, {
      PETSTORE_API_KEY: key,
      PETSTORE_URL: url
    })
    expect(stdout).toMatch(/1\tRex\t1\tavailable\t*\n/)
    expect(stdout).toContain('{"id":2,"name":"Tom","categoryId":2}')
    expect(stderr).toContain("imported 2 pets")
  })

  live("of the tour show what it says", function* () {
    const page = Markdown.page("docs/tour.md")
    const path = yield* folder
    const { program, url } = yield* serve(path, { LOG_REQUESTS: "all", LOG_LEVEL: "info" })
    const [setup = "", ...blocks] = Markdown.blocks(page, "sh")
    const [create = "", ...settings] = setup.split("\n")
    const show = 'echo "$PETSTORE_API_KEY"'
    const key = (yield* runCommands(path, [create, show])).stdout.trim()
    expect((yield* call(`${url}/v1/pets`, key)).status).toBe(200)
    const isExperiment = (code: string) => code.includes("vitest")
    const commands = [...settings, ...blocks.filter((code) => !isExperiment(code))]
    const { stdout } = yield* runCommands(
      path,
      commands.map((code) =>
        code
          .replaceAll("http://127.0.0.1:3000", url)
          .replaceAll("../../data", join(path, "data"))
          .replaceAll(/cd (?=packages)/g, `cd ${Markdown.root}`)
      ),
      { PETSTORE_API_KEY: key }
    )
    yield* Effect.promise(() => program.until(/"GET 304"/))
    const shown = Markdown.blocks(page, "text").join("").trim().split("\n")
    expect(shown.length).toBeGreaterThan(10)
    for (const line of shown) {
      const parts = line.split("…").map((part) => part.replaceAll(/[^\w\s]/g, "\\$&"))
      expect(stdout + program.stdout).toMatch(new RegExp(parts.join(".*")))
    }

    // Each changes a file that exists, as it says; what the tests say then is not tried.
    for (const code of blocks.filter(isExperiment)) {
      const [change = ""] = code.split("\n")
      const [file = ""] = /packages\/\S+$/.exec(change) ?? []
      const copy = join(path, "changed.ts")
      copyFileSync(join(Markdown.root, file), copy)
      yield* runCommands(path, [change.replace(file, copy)])
      expect(readFileSync(copy, "utf8")).not.toBe(Markdown.page(file).text)
    }
  })

  live("of the page for operators work, in their order", function* () {
    const path = yield* folder
    const create = "keys create --new-database --name first --json"
    const { stdout } = yield* run(path, create.split(" "))
    const { id } = JSON.parse(stdout)
    const blocks = Markdown.blocks(Markdown.page("docs/operating.md"), "sh")
    const commands = blocks.flatMap((code) => code.replaceAll("0123456789", id).trim().split("\n"))
    const results = yield* Effect.forEach(commands, (command) => {
      const [program, ...words] = command.split(" ")
      expect(program).toBe("petstore")
      return Effect.map(run(path, words), ({ code, stdout }) => ({ command, code, stdout }))
    })
    expect(results.filter(({ code }) => code !== 0)).toEqual([])
    expect(results.map(({ stdout }) => stdout).join("")).toMatch(/checkout/)
  })
})
