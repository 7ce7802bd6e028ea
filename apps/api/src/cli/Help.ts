/** The text of `--help`. */
import { exitCodes } from "../ExitCode.ts"
import { last, type Path } from "./Entry.ts"
import type { Flag } from "./Flag.ts"

/** The help for the command at the end of a path. */
export const render = (path: Path): string => {
  const entry = last(path)
  const name = path.map((one) => one.name).join(" ")
  const isGroup = entry.entries.length > 0
  const args = isGroup ? " <command>" : entry.args.map((arg) => ` <${arg.name}>`).join("")
  return [
    entry.about,
    section("Usage", [[`${name}${args} [options]`, ""]]),
    section(
      "Commands",
      entry.entries.map((one) => [one.name, one.about])
    ),
    section(
      "Arguments",
      entry.args.map((arg) => [`<${arg.name}>`, arg.about])
    ),
    section(
      "Options",
      entry.flags.map((flag) => [
        nameOf(flag),
        flag.isRequired ? `${flag.about} (required)` : flag.about
      ])
    ),
    section("Exit codes", path.length === 1 ? codes : []),
    section(
      "Examples",
      entry.examples.map((example) => [example, ""])
    )
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

const codes = Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning] as const)

const nameOf = ({ name, value }: Flag<unknown>) =>
  value === undefined ? `--${name}` : `--${name} ${value}`

const section = (
  title: string,
  lines: ReadonlyArray<readonly [term: string, about: string]>
): string => {
  if (lines.length === 0) return ""
  const width = Math.max(...lines.map(([term]) => term.length))
  return [
    `${title}:`,
    ...lines.map(([term, about]) => `  ${term.padEnd(width)}  ${about}`.trimEnd())
  ].join("\n")
}
