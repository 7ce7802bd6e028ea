/** `petstore serve`, and what it would serve in this environment: `petstore config` and `petstore openapi`. */

import { contract } from "@petstore/http-pets/PetStoreApi"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "../cli/Command.ts"
import * as Flag from "../cli/Flag.ts"
import { table } from "../cli/Table.ts"
import * as Terminal from "../cli/Terminal.ts"
import * as Server from "../service/Server.ts"
import { AppConfig, addresses, settings } from "../settings/AppConfig.ts"
import { text } from "../settings/Setting.ts"
import { database, json } from "./CommonFlags.ts"

const host = Flag.variable("--host ADDRESS", "the address to listen on", "HOST")
const port = Flag.variable("--port NUMBER", "the port to listen on", "PORT")
const logFormat = Flag.variable("--log-format pretty|json", "the log format", "LOG_FORMAT")

const flags = { host, port, database, logFormat }

export const serve = Command.make(
  {
    name: "serve",
    about: "start the server (the default command)",
    notes: [
      "All settings are environment variables: petstore config prints them.",
      "On SIGTERM or Ctrl-C it finishes the requests in flight, and exits with 0."
    ],
    examples: ["petstore serve", "petstore serve --port 8080 --database sqlite:/var/lib/pets.db"],
    flags
  },
  () => Server.serve
)

/** Prints every setting, where its value comes from, and its default. Invalid values are reported as well. */
export const config = Command.make(
  {
    name: "config",
    about: "print every setting: its value, its source and its default",
    notes: ["Every setting is an environment variable. Secrets are not shown."],
    flags: { ...flags, json }
  },
  Effect.fnUntraced(function* ({ json, ...values }) {
    const given: Readonly<Record<string, unknown>> = values
    const options = Object.entries(flags).filter(([key]) => given[key] !== undefined)
    const sources = new Map(options.map(([, { name, variable }]) => [variable, name]))
    const shown = yield* Effect.forEach(settings, ({ about, fallback, name, shown }) =>
      Effect.map(Effect.option(text(name)), (given) => ({
        name,
        value: Option.match(given, { onNone: () => fallback, onSome: shown }),
        source: Option.isNone(given) ? "default" : (sources.get(name) ?? "environment"),
        default: fallback,
        about
      }))
    )
    const rows = shown.map((one) => [one.name, one.value, one.source, one.default])
    const titles = ["SETTING", "VALUE", "SOURCE", "DEFAULT"]
    yield* json ? Terminal.printJson(shown) : table(titles)(rows)
    yield* AppConfig
  })
)

/** Prints the document that a server with this environment would serve. */
export const openapi = Command.make(
  {
    name: "openapi",
    about: "print the OpenAPI document",
    flags: {}
  },
  () =>
    Effect.flatMap(addresses, (places) =>
      Terminal.print(JSON.stringify(OpenApiDocument.make({ ...contract, ...places }), null, 2))
    )
)
