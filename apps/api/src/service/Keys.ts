/** The API keys of the service: from the store, from the environment, and the first one. */
import { type ApiKey, type Grant, KeyName, stateAt } from "@petstore/access/ApiKey"
import * as ApiKeys from "@petstore/access/ApiKeys"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import { prefix, scopes } from "@petstore/http-pets/PetStoreApi"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Terminal from "../cli/Terminal.ts"
import { type Database, isDurable } from "../databases/Database.ts"
import type { AppConfig } from "../settings/AppConfig.ts"

/** The keys in the store, and these. */
export const stored = (fixed: ReadonlyArray<Grant> = []) =>
  Layer.provide(ApiKeys.layer({ fixed }), NodeKeyMaker.layer)

/** The keys in the store and in the environment. Without any, issues one and prints it, or says how to. */
export const layer = ({
  apiKeys,
  database,
  printFirstKey
}: Pick<AppConfig, "apiKeys" | "database" | "printFirstKey">) => {
  const first = Effect.gen(function* () {
    if (apiKeys.length > 0) return
    const { stderr } = yield* Terminal.Terminal
    // What is printed without a terminal is kept in logs, where a key does not belong.
    yield* printFirstKey || stderr.isTTY ? issueFirst : warnWithoutKey(database)
  })
  return Layer.provideMerge(Layer.effectDiscard(first), stored(grantsOf(apiKeys)))
}

/** The grants of the keys in the environment: all scopes. */
export const grantsOf = (keys: ReadonlyArray<Redacted.Redacted>): ReadonlyArray<Grant> =>
  keys.map((key) => ({
    digest: NodeKeyMaker.digest(Redacted.value(key)),
    scopes
  }))

/** The keys that work at a time. */
export const activeAt = (keys: ReadonlyArray<ApiKey>, now: number): ReadonlyArray<ApiKey> =>
  keys.filter((key) => stateAt(key, now) === "active")

/** The first ids, and the number of others. */
export const idsOf = (keys: ReadonlyArray<ApiKey>): string =>
  Terminal.first(keys.map(({ id }) => id))

const warnWithoutKey = Effect.fnUntraced(function* (database: Database) {
  const keys = yield* Effect.flatMap(ApiKeys.ApiKeys, ({ list }) => list)
  if (keys.length > 0) return
  // Another process cannot create keys in memory.
  const remedy = isDurable(database)
    ? "run petstore keys create --name <name>"
    : "set PETSTORE_API_KEYS, or PETSTORE_PRINT_FIRST_KEY to true"
  yield* Effect.logWarning(`there is no API key yet: ${remedy}`)
})

const issueFirst = Effect.gen(function* () {
  const keys = yield* ApiKeys.ApiKeys
  const { url } = yield* HttpListener
  const first = yield* keys.issueFirst({ name: KeyName.make("first"), scopes })
  if (Option.isSome(first)) {
    yield* Terminal.printError(invitation(Redacted.value(first.value.text), url))
  }
  // An issued key that is not printed is lost.
}).pipe(Effect.uninterruptible)

/** Printed to standard error, not logged. */
const invitation = (key: string, url: string) => `
There was no API key yet, so one was created. It is shown only once:

  ${key}

Try it:

  curl -H 'Authorization: Bearer ${key}' ${url}${prefix}/pets
`
