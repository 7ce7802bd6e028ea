/** How API keys are printed. */
import { type ApiKey, endOf, stateAt } from "@petstore/access/ApiKey"
import type { IssuedKey } from "@petstore/access/ApiKeys"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { failed } from "../cli/CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"

const columns: Readonly<Record<string, (key: ApiKey, now: number) => string>> = {
  ID: (key) => key.id,
  NAME: (key) => key.name,
  SCOPES: (key) => key.scopes.join(","),
  STATE: stateAt,
  "CREATED (UTC)": (key) => moment(key.created),
  "LAST USED (UTC)": (key) => moment(key.lastUsed),
  "ENDS (UTC)": (key) => moment(key.revoked ?? endOf(key))
}

export const titles = Object.keys(columns)

export const cells = (now: number) => (key: ApiKey) =>
  Object.values(columns).map((cell) => cell(key, now))

/** Issues a key and prints it, if it is not interrupted: an issued key that is not printed is lost. */
export const shown = <A extends IssuedKey, E>(issue: Effect.Effect<A, E>, json: boolean) =>
  issue.pipe(
    Effect.tap((issued) =>
      Effect.mapError(show(issued, json), (cause) => {
        const { id } = issued.key
        const fix = `revoke it with petstore keys revoke ${id}`
        return failed(`the key ${id} was issued but could not be printed: ${fix}`, cause)
      })
    ),
    Effect.tap(Terminal.countAsDone)
  )

/** Prints a new key: the key alone in a pipe, with a description on a terminal. */
const show = Effect.fnUntraced(function* ({ key, text }: IssuedKey, json: boolean) {
  const now = yield* Clock.currentTimeMillis
  const secret = Redacted.value(text)
  if (json) return yield* Terminal.printJson({ ...describe(now)(key), key: secret })
  if (!(yield* Terminal.isInteractive)) return yield* Terminal.print(secret)
  const end = key.expires === undefined ? "never expires" : `expires ${moment(key.expires)} UTC`
  yield* Terminal.print(`
  ${secret}

Key ${key.id} (${key.name}) allows ${key.scopes.join(" and ")}, and ${end}.
It is shown only once: store it safely.
`)
})

export const describe = (now: number) => (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  scopes: key.scopes,
  state: stateAt(key, now),
  created: iso(key.created),
  expires: iso(key.expires),
  retires: iso(key.retires),
  revoked: iso(key.revoked),
  lastUsed: iso(key.lastUsed)
})

const iso = (millis = Number.POSITIVE_INFINITY) =>
  Number.isFinite(millis) ? new Date(millis).toISOString() : null

/** A time in UTC, to the minute. */
export const moment = (millis: number | undefined): string =>
  iso(millis)?.replace("T", " ").slice(0, 16) ?? "never"
