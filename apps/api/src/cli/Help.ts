/** The text of `--help`. */
import type { CommandPath } from "./Command.ts"
import { exitCodes } from "./CommandFailed.ts"
import { aligned } from "./Table.ts"

export const render = ({ command, path }: CommandPath): string => {
  const args = command.args.map(({ about, name }) => [`<${name}>`, about] as const)
  const words = command.commands.length > 0 ? ["<command>"] : args.map(([name]) => name)
  const isProgram = path === command.name
  const sections = {
    Usage: [[[path, ...words, "[options]"].join(" ")]],
    Commands: command.commands.map(({ about, name }) => [name, about]),
    Arguments: args,
    Options: command.flags.map(({ about, isRequired, name, value }) => [
      value === undefined ? name : `${name} ${value}`,
      isRequired ? `${about} (required)` : about
    ]),
    Notes: (command.notes ?? []).map((note) => [note]),
    "Exit codes": isProgram
      ? Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning])
      : [],
    Examples: (command.examples ?? []).map((example) => [example])
  }
  const texts = Object.entries(sections)
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => [`${title}:`, ...aligned(rows)(rows)].join("\n  "))
  return [command.about, ...texts].join("\n\n")
}
