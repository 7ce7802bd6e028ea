import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "./support/Folder.ts"
import { run } from "./support/Program.ts"

const print = (shell: string) =>
  Effect.gen(function* () {
    const printed = yield* run(yield* folder, ["--completions", shell])
    expect(printed).toMatchObject({ code: 0, stderr: "" })
    return printed.stdout
  }).pipe(Effect.scoped, Effect.cached, Effect.runSync)

/** What the program prints for each shell. */
const scripts = { bash: print("bash"), zsh: print("zsh"), fish: print("fish") }

/**
 * What bash completes at the cursor, which is at the end of each of these lines, or at an underscore. It calls the
 * function as readline does, with the line and the cursor position; with `set -u`, as some have it.
 */
const offered = (lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const path = yield* folder
    writeFileSync(join(path, "petstore.bash"), yield* scripts.bash)
    const { stderr, stdout } = yield* Effect.promise(() =>
      promisify(execFile)(
        "bash",
        [
          "--norc",
          "--noprofile",
          "-c",
          `set -u
          . ./petstore.bash
          for line in "$@"; do
            before="\${line%%_*}"
            COMP_LINE="\${line/_/}" COMP_POINT=\${#before} COMPREPLY=()
            _petstore petstore
            echo "\${COMPREPLY[*]-}"
          done`,
          "bash",
          ...lines
        ],
        { cwd: path, env: { PATH: process.env["PATH"] } }
      )
    )
    expect(stderr).toBe("")
    return stdout.split("\n").slice(0, -1)
  })

describe("petstore --completions bash", () => {
  live("offers commands, options and choices where they apply", function* () {
    const cases: Readonly<Record<string, string>> = {
      "petstore ":
        "serve keys pets import export backup restore copy doctor config openapi --help --version --completions",
      "petstore k": "keys",
      "petstore ke_ list": "keys",
      "petstore --com": "--completions",
      "petstore --completions ": "bash zsh fish",
      "petstore keys ": "create list revoke rotate --help",
      "petstore keys r": "revoke rotate",
      "petstore  keys   cr": "create",
      "petstore keys create --":
        "--name --scope --expires --database --new-database --json --env-file --help",
      "petstore keys create --json --ex": "--expires",
      "petstore keys create --scope ": "pets:read pets:write",
      "petstore serve --log-format j": "json",
      "petstore pets list --status ": "available pending sold",
      "petstore pets list --status sold --a": "--all",
      "petstore import --format ": "ndjson csv",
      "petstore import pets.csv --":
        "--format --skip-bad-lines --all-errors --new-ids --database --env-file --help",
      "/usr/local/bin/petstore doctor --j": "--json",
      "petstore pets list --status=": "available pending sold",
      "petstore pets list --json --status=s": "sold",
      "petstore keys create --name=x --scope=pets:w": "write",
      "petstore serve --port=": "",
      // Bash splits a word with a colon in two.
      "petstore keys create --scope pets:": "read write",
      "petstore keys create --scope pets:w": "write",
      // Any value.
      "petstore keys create --name ": "",
      "petstore keys create --expires ": "",
      "petstore serve --port ": "",
      "petstore pets add --category ": "",
      "petstore import --database ": "",
      "petstore frobnicate": ""
    }
    const found = yield* offered(Object.keys(cases))
    expect(Object.keys(cases).map((line, at) => [line, found[at]])).toEqual(Object.entries(cases))
  })
})

describe("petstore --completions", () => {
  live("for zsh loads the script for bash, in syntax that zsh supports", function* () {
    const zsh = yield* scripts.zsh
    const [compinit, bashcompinit, ...others] = zsh.split("\n")
    expect(compinit).toMatch(/autoload -Uz compinit && compinit/)
    expect(bashcompinit).toBe("autoload -Uz bashcompinit && bashcompinit")
    expect(others.join("\n")).toBe(yield* scripts.bash)
    // Without the dollar sign zsh reads the name as a modifier and completes nothing.
    expect(zsh).not.toMatch(/:0:COMP_POINT/)
  })

  live("for fish has one line per command and option", function* () {
    const fish = yield* scripts.fish
    const lines = fish.trimEnd().split("\n")
    for (const line of lines)
      expect(line).toMatch(/^complete -c petstore( -n ("[^"]*"|\w+))? (-f|-l) /)
    expect(fish).toMatch(/ -f -a keys -d "create, list, revoke and rotate API keys"\n/)
    const status = lines.filter((line) => line.includes(" -l status "))
    expect(status).toHaveLength(2)
    for (const line of status) expect(line).toContain('-x -a "available pending sold"')
    expect(fish).toMatch(/ -l completions -x -a "bash zsh fish"/)
    expect(fish).toMatch(/ -l version/)
    const seen = 'complete -c petstore -n "__fish_seen_subcommand_from keys; and'
    expect(lines).toContain(
      `${seen} not __fish_seen_subcommand_from create list revoke rotate" -f -a list -d "list all keys; times are in UTC"`
    )
    expect(lines).toContain(
      `${seen} __fish_seen_subcommand_from create" -l name -r -d "a name that says what the key is for"`
    )
  })
})
