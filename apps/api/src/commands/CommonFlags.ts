/** Options that several commands share, and options that override variables. */
import { PetStatus } from "@petstore/domain/PetStatus"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandFailed } from "../CommandFailed.ts"
import type { Format } from "../catalogue/Format.ts"
import * as FormatChoice from "../catalogue/FormatChoice.ts"
import * as Flag from "../cli/Flag.ts"
import { oneOf, text } from "../Parse.ts"

/** Output for programs. */
export const json = Flag.toggle({ name: "json", about: "print JSON" })

/** A pet's status. */
export const status = Flag.optional(
  { name: "status", value: PetStatus.literals.join("|"), about: "the status of the pet" },
  oneOf(PetStatus.literals)
)

/** The format of a file. */
export const format = Flag.optional(
  {
    name: "format",
    value: FormatChoice.names.join("|"),
    about: "the file format; default: from the file name"
  },
  oneOf(FormatChoice.names)
)

/** The requested format, or the one that the file name implies. */
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

/** `DATABASE_URL` */
export const database = variable("database", "URL", "the database (DATABASE_URL)")
/** `HOST` */
export const host = variable("host", "ADDRESS", "the address to listen on (HOST)")
/** `PORT` */
export const port = variable("port", "NUMBER", "the port to listen on (PORT)")
/** `LOG_FORMAT` */
export const logFormat = variable("log-format", "pretty|json|logfmt", "the log format (LOG_FORMAT)")
/** `PETSTORE_URL` */
export const url = variable("url", "URL", "the service to call (PETSTORE_URL)")

/** Overrides variables with the values that were given. */
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
