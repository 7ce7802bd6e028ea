/** The `petstore` command: its table of commands, and how a command line is run. */
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Command } from "../cli/Command.ts"
import { type CommandFailed, invalid } from "../cli/CommandFailed.ts"
import * as Flag from "../cli/Flag.ts"
import * as Help from "../cli/Help.ts"
import * as Terminal from "../cli/Terminal.ts"
import * as Tokens from "../cli/Tokens.ts"
import { version } from "../version.ts"
import * as BackupCommands from "./BackupCommands.ts"
import * as CopyCommand from "./CopyCommand.ts"
import * as DoctorCommand from "./DoctorCommand.ts"
import * as ExportCommand from "./ExportCommand.ts"
import * as ImportCommand from "./ImportCommand.ts"
import * as KeysCommands from "./KeysCommands.ts"
import * as PetsCommands from "./PetsCommands.ts"
import * as ServerCommands from "./ServerCommands.ts"

export const root: Command = {
  name: "petstore",
  about: "Pet Store: serves a catalogue of pets over HTTP, and manages it.",
  examples: [
    "petstore serve --port 8080",
    "petstore keys create --name ci --scope pets:read --expires 90d",
    "petstore import pets.csv"
  ],
  flags: [Flag.help, Flag.toggle("--version", "show the version")],
  args: [],
  commands: [
    ServerCommands.serve,
    KeysCommands.command,
    PetsCommands.command,
    ImportCommand.command,
    ExportCommand.command,
    BackupCommands.backup,
    BackupCommands.restore,
    CopyCommand.command,
    DoctorCommand.command,
    ServerCommands.config,
    ServerCommands.openapi
  ],
  fallback: ServerCommands.serve
}

export const run = (
  words: ReadonlyArray<string>
): Effect.Effect<void, CommandFailed, Terminal.Terminal> => {
  const [first = "", ...rest] = words
  if (["--version", "-v", "version"].includes(first)) return Terminal.print(version)
  if (first === "help") return run([...rest, "--help"])
  return Either.match(Tokens.read(root, words), {
    onLeft: (message) => invalid(message),
    onRight: ({ command, given, path }) =>
      given && command.run ? command.run(given) : Terminal.print(Help.render({ command, path }))
  })
}
