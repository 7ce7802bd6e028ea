/** Environment variables without an effect: named like settings, so probably misspelt, or `PORT` beside a passed socket. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { nearest } from "../cli/Suggestions.ts"
import { settings } from "./AppConfig.ts"
import * as PassedSocket from "./PassedSocket.ts"
import { text } from "./Setting.ts"

const prefix = "PETSTORE_"

/** The variables that are set and do nothing, each with the setting that was probably meant. Their values are not shown. */
export const find = Effect.gen(function* () {
  const names = yield* Effect.configProviderWith(({ flattened }) => flattened.enumerateChildren([]))
  const unknown = Array.from(names, String)
    .filter((name) => name.startsWith(prefix) && !isKnown(name))
    .sort()
  const set = yield* Effect.filter(unknown, (name) =>
    Effect.map(Effect.option(text(name)), Option.exists(isNoAddress))
  )
  const found = set.map((name) => ({
    message: `${name} is not a setting, so it has no effect`,
    fix: fix(name)
  }))
  const hasPort = Option.isSome(yield* Effect.option(text("PORT")))
  return hasPort && (yield* PassedSocket.fd) !== undefined ? [portIsPassed, ...found] : found
}).pipe(Effect.orElseSucceed(() => []))

const portIsPassed = {
  message: "PORT has no effect on a passed socket (LISTEN_FDS)",
  fix: "change ListenStream of the socket unit"
}

export const warn = Effect.flatMap(find, (found) =>
  Effect.forEach(found, ({ fix, message }) => Effect.logWarning(`${message}: ${fix}`), {
    discard: true
  })
)

// Kubernetes sets some of the latter for a service called petstore.
const isKnown = (name: string): boolean =>
  settings.some((setting) => setting.name === name) ||
  /^PETSTORE_TEST_|_SERVICE_(HOST|PORT)|_PORT_\d+_/.test(name)

/** Kubernetes sets `PETSTORE_PORT` to such an address. */
const isNoAddress = (value: string): boolean => !/^(tcp|udp|sctp):\/\//.test(value)

/** Some settings have no prefix. */
const fix = (name: string): string => {
  const rest = name.slice(prefix.length)
  const meant = settings.find((setting) => setting.name === rest) ?? nearest(name, settings)
  return meant === undefined ? "petstore config prints all settings" : `did you mean ${meant.name}?`
}
