/** The text of `--help`. */
import { exitCodes } from "../CommandFailed.ts"
import type { Place } from "./Entry.ts"
import { aligner } from "./Terminal.ts"

export const render = ({ command, entry }: Place): string => {
  const args = entry.args.map(({ about, name }) => [`<${name}>`, about] as const)
  const words = entry.entries.length > 0 ? ["<command>"] : args.map(([name]) => name)
  const isProgram = command === entry.name
  const sections = {
    Usage: [[[command, ...words, "[options]"].join(" ")]],
    Commands: entry.entries.map(({ about, name }) => [name, about]),
    Arguments: args,
    Options: entry.flags.map(({ about, isRequired, name, value }) => [
      value === undefined ? name : `${name} ${value}`,
      isRequired ? `${about} (required)` : about
    ]),
    Notes: (entry.notes ?? []).map((note) => [note]),
    "Exit codes": isProgram
      ? Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning])
      : [],
    Examples: entry.examples.map((example) => [example])
  }
  const texts = Object.entries(sections)
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [`${title}:`, ...aligner(lines)(lines)].join("\n  "))
  return [entry.about, ...texts].join("\n\n")
}
