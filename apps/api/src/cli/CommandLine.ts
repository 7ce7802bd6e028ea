/** `petstore`, the command: what its words are and how they are run. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { version } from "@petstore/http-contract/PetStoreApi"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Failed } from "../Failed.ts"
import { oneOf } from "../Parse.ts"
import * as BackupCommand from "./BackupCommand.ts"
import * as Completions from "./Completions.ts"
import * as DoctorCommand from "./DoctorCommand.ts"
import * as Entry from "./Entry.ts"
import * as ExportCommand from "./ExportCommand.ts"
import * as Help from "./Help.ts"
import * as ImportCommand from "./ImportCommand.ts"
import * as KeysCommands from "./KeysCommands.ts"
import * as OpenApiCommand from "./OpenApiCommand.ts"
import * as PetsCommands from "./PetsCommands.ts"
import * as ServeCommand from "./ServeCommand.ts"
import * as Terminal from "./Terminal.ts"
import * as Words from "./Words.ts"

/** Every command there is. */
export const root = Entry.group(
  "petstore",
  {
    about: "The Pet Store: serves a catalogue of animals, and looks after it.",
    examples: [
      "petstore serve --port 8080",
      "petstore keys create --name ci --scope pets:read --expires 90d",
      "petstore import animals.csv"
    ]
  },
  [
    ServeCommand.entry,
    KeysCommands.entry,
    PetsCommands.entry,
    ImportCommand.entry,
    ExportCommand.entry,
    BackupCommand.entry,
    DoctorCommand.entry,
    OpenApiCommand.entry
  ]
)

/** Does what the words say. */
export const run = (words: ReadonlyArray<string>): Effect.Effect<void, Failed> => {
  const [first = "", ...rest] = words
  if (["--version", "-v", "version"].includes(first)) return Terminal.print(version)
  if (first === "help") return run([...rest, "--help"])
  if (first === "--completions") {
    return Either.match(oneOf(Completions.shells)(rest[0] ?? ""), {
      onLeft: (fix) => new Failed({ message: `--completions ${fix}`, reason: "usage" }),
      onRight: (shell) => Terminal.print(Completions.render(root, shell))
    })
  }
  // An option of serving, with no command before it: to serve is what no words mean.
  const isServing = ServeCommand.entry.flags.some(({ name }) => first.split("=")[0] === `--${name}`)
  return Either.match(Words.read(root, isServing ? ["serve", ...words] : words), {
    onLeft: (message) => new Failed({ message, reason: "usage" }),
    onRight: ({ isHelp, path, words }) =>
      isHelp || (path.at(-1)?.entries.length ?? 0) > 0
        ? Terminal.print(Help.render(path))
        : parse(words)
  })
}

/** The library tells its complaints itself, which the program does for every failure alike. */
const parse = (words: ReadonlyArray<string>): Effect.Effect<void, Failed> =>
  Effect.consoleWith((console) => {
    const parser = Command.transformHandler(root.parser, Effect.withConsole(console))
    return Command.run(parser, { name: "petstore", version })(["node", "petstore", ...words]).pipe(
      Effect.withConsole({ ...console, error: () => Effect.void })
    )
  }).pipe(
    Effect.catchIf(ValidationError.isValidationError, ({ error }) => {
      const message = HelpDoc.toAnsiText(error)
        .trim()
        .split("\n")
        .map((line) => line.trim())
        .join("; ")
      return new Failed({ message, reason: "usage" })
    }),
    Effect.provide(Layer.merge(NodeContext.layer, CliConfig.layer({ isCaseSensitive: true })))
  )
