/** The options that several commands share, and those that stand for variables. */
import { PetStatus } from "@petstore/domain/PetStatus"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandFailed } from "../CommandFailed.ts"
import type { Format } from "../catalogue/Format.ts"
import * as FormatChoice from "../catalogue/FormatChoice.ts"
import * as Flag from "../cli/Flag.ts"
import { oneOf, text } from "../Parse.ts"

/** For programs instead of people. */
export const json = Flag.toggle({ name: "json", about: "print JSON, for programs" })

/** An animal's status. */
export const status = Flag.optional(
  { name: "status", value: PetStatus.literals.join("|"), about: "the status of an animal" },
  oneOf(PetStatus.literals)
)

/** How a file is written. */
export const format = Flag.optional(
  {
    name: "format",
    value: FormatChoice.names.join("|"),
    about: "how the file is written; told by its name when left out"
  },
  oneOf(FormatChoice.names)
)

/** The format that was asked for, or that the name of the file tells. */
export const formatOf = (
  asked: Option.Option<FormatChoice.FormatName>,
  file: string
): Effect.Effect<Format, CommandFailed> =>
  Effect.mapError(
    FormatChoice.choose(asked, file),
    (message) => new CommandFailed({ message, reason: "usage" })
  )

const variable = (name: string, value: string, about: string) =>
  Flag.optional({ name, value, about }, text)

/** Where the pets and the keys are kept. */
export const database = variable("database", "URL", "use this database (DATABASE_URL)")
/** Where the service listens. */
export const host = variable("host", "ADDRESS", "listen on this address (HOST)")
/** Where the service listens. */
export const port = variable("port", "NUMBER", "listen on this port (PORT)")
/** How the service logs. */
export const logFormat = variable("log-format", "pretty|json|logfmt", "log like this (LOG_FORMAT)")
/** Where the service is. */
export const url = variable("url", "URL", "call the service there (PETSTORE_URL)")

/** Runs with these values in the place of the variables, as far as they were given. */
export const withVariables =
  (flags: Readonly<Record<string, Option.Option<string>>>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const given = new Map<string, string>()
    for (const [name, value] of Object.entries(flags)) {
      if (Option.isSome(value)) given.set(name, value.value)
    }
    return Effect.configProviderWith((environment) =>
      Effect.withConfigProvider(
        effect,
        ConfigProvider.orElse(ConfigProvider.fromMap(given), () => environment)
      )
    )
  }
