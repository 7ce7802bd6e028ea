/** `petstore config`: prints the settings that a server would run with. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AppConfig, settings } from "../AppConfig.ts"
import { fromConfig } from "../CommandFailed.ts"
import * as Command from "../cli/Command.ts"
import * as Terminal from "../cli/Terminal.ts"
import { type About, text } from "../Setting.ts"
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
  ({ json, ...values }) =>
    Effect.gen(function* () {
      const given: Readonly<Record<string, unknown>> = values
      const options = Object.entries(flags).filter(([key]) => given[key] !== undefined)
      const optionOf = (variable: string) =>
        options.find(([, flag]) => flag.variable === variable)?.[1].name
      const shown = yield* Effect.forEach(settings, (setting) =>
        describe(setting, optionOf(setting.name))
      )
      yield* json
        ? Terminal.printJson(shown)
        : Terminal.table(["SETTING", "VALUE", "SOURCE", "DEFAULT"])(
            shown.map((setting) => [setting.name, setting.value, setting.source, setting.default])
          )
      yield* Effect.mapError(AppConfig, fromConfig)
    })
)

const describe = ({ about, fallback, name, shown }: About, option: string | undefined) =>
  Effect.map(Effect.option(text(name)), (given) => ({
    name,
    value: Option.match(given, { onNone: () => fallback, onSome: shown }),
    source: Option.isNone(given) ? "default" : (option ?? "environment"),
    default: fallback,
    about
  }))
