/** `petstore config`: prints the settings that a server would run with. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AppConfig, settings } from "../AppConfig.ts"
import * as Command from "../cli/Command.ts"
import * as Terminal from "../cli/Terminal.ts"
import { text } from "../Setting.ts"
import { json } from "./CommonFlags.ts"
import { flags } from "./ServeCommand.ts"

/** Prints every setting, where its value comes from, and its default. Invalid values are reported as well. */
export const command = Command.make(
  {
    name: "config",
    about: "print every setting: its value, its source and its default",
    notes: ["Every setting is an environment variable. Secrets are not shown."],
    examples: ["petstore config", "petstore config --port 8080 --json"],
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
    yield* json ? Terminal.printJson(shown) : Terminal.table(titles)(rows)
    yield* AppConfig
  })
)
