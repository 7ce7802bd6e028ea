/** `petstore keys`: manages API keys, directly in the database. */
import { allScopes, endOf, KeyId, KeyName } from "@petstore/access/ApiKey"
import { ApiKeys, type IssuedKey } from "@petstore/access/ApiKeys"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandFailed } from "../CommandFailed.ts"
import * as DurationText from "../cli/DurationText.ts"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import * as Terminal from "../cli/Terminal.ts"
import { countAsDone } from "../ExitCode.ts"
import * as Keys from "../Keys.ts"
import { fromSchema, oneOf } from "../Parse.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import * as CommonFlags from "./CommonFlags.ts"
import * as KeyView from "./KeyView.ts"

const name = Flag.required(
  { name: "name", value: "NAME", about: "a name that says what the key is for" },
  fromSchema(KeyName)
)
const scopes = Flag.repeated(
  {
    name: "scope",
    value: allScopes.join("|"),
    about: "a scope of the key; repeatable; default: all"
  },
  oneOf(allScopes)
)
const expires = Flag.optional(
  {
    name: "expires",
    value: "DURATION",
    about: "lifetime of the key, such as 90d; default: unlimited"
  },
  DurationText.parsePositive
)
const overlap = Flag.optional(
  { name: "overlap", value: "DURATION", about: "how long the old key keeps working; default: 24h" },
  DurationText.parse
)
const id = Flag.argument(
  { name: "ID", about: "the id of the key (see petstore keys list)" },
  fromSchema(KeyId)
)

const using = <A>(
  database: CommandDatabase.Durable,
  effect: Effect.Effect<A, CommandFailed | StoreUnavailable, ApiKeys>
) => CommandDatabase.using(database, Effect.provide(effect, Keys.stored))

/** Uninterruptible: an issued key that is not printed is lost. */
const issueAndShow = <A extends IssuedKey, E>(
  json: boolean,
  issue: (keys: ApiKeys["Type"]) => Effect.Effect<A, E>
) =>
  ApiKeys.pipe(
    Effect.flatMap(issue),
    Effect.tap((issued) => KeyView.show(issued, json)),
    Effect.tap(countAsDone),
    Effect.uninterruptible
  )

const create = Entry.command(
  "create",
  {
    about: "create a key and print it once",
    examples: [
      "petstore keys create --name ci --scope pets:read --expires 90d",
      'PETSTORE_API_KEY="$(petstore keys create --name shell)"'
    ]
  },
  {
    flags: { name, scopes, expires, database: CommonFlags.database, json: CommonFlags.json },
    args: {}
  },
  ({ database, expires, json, name, scopes }) =>
    Effect.gen(function* () {
      const [first = "pets:read", ...others] =
        scopes.length === 0 ? allScopes : [...new Set(scopes)]
      yield* using(
        yield* CommandDatabase.orNew(database),
        issueAndShow(json, (keys) =>
          keys.issue({
            name,
            scopes: [first, ...others],
            ...(Option.isSome(expires) && { lifetime: expires.value })
          })
        )
      )
    })
)

const list = Entry.command(
  "list",
  {
    about: "list all keys",
    examples: ["petstore keys list", "petstore keys list --json"]
  },
  { flags: { database: CommonFlags.database, json: CommonFlags.json }, args: {} },
  ({ database, json }) =>
    Effect.gen(function* () {
      const keys = yield* using(
        yield* CommandDatabase.existing(database),
        Effect.flatMap(ApiKeys, ({ list }) => list)
      )
      const now = yield* Clock.currentTimeMillis
      if (json) return yield* Terminal.printJson(keys.map((key) => KeyView.describe(key, now)))
      const print = yield* Terminal.table(KeyView.titles)
      yield* print(keys.map((key) => KeyView.cells(key, now)))
    })
)

const revoke = Entry.command(
  "revoke",
  {
    about: "revoke a key; servers reject it within a second",
    examples: ["petstore keys revoke 0123456789"]
  },
  { flags: { database: CommonFlags.database, json: CommonFlags.json }, args: { id } },
  ({ database, id, json }) =>
    Effect.gen(function* () {
      const key = yield* using(
        yield* CommandDatabase.existing(database),
        Effect.flatMap(ApiKeys, (keys) => keys.revoke(id)).pipe(
          Effect.catchTag("ApiKeyNotFound", notFound)
        )
      )
      if (json)
        return yield* Terminal.printJson(KeyView.describe(key, yield* Clock.currentTimeMillis))
      yield* Terminal.print(`revoked ${key.id} (${key.name})`)
    })
)

const rotate = Entry.command(
  "rotate",
  {
    about: "replace a key; the old one works until the overlap ends",
    examples: ["petstore keys rotate 0123456789 --overlap 1h"]
  },
  { flags: { overlap, database: CommonFlags.database, json: CommonFlags.json }, args: { id } },
  ({ database, id, json, overlap }) =>
    Effect.gen(function* () {
      const duration = Option.getOrElse(overlap, () => Duration.days(1))
      const { replaced } = yield* using(
        yield* CommandDatabase.existing(database),
        issueAndShow(json, (keys) => keys.rotate(id, duration)).pipe(
          Effect.catchTags({ ApiKeyNotFound: notFound, ApiKeyEnded: notFound })
        )
      )
      if (!json && (yield* Terminal.isTerminal)) {
        const end = KeyView.moment(endOf(replaced))
        yield* Terminal.print(`The old key ${id} works until ${end}.\n`)
      }
    })
)

/** The commands for API keys. */
export const entry = Entry.group(
  "keys",
  {
    about: "create, list, revoke and rotate API keys",
    examples: [
      "petstore keys create --name ci --scope pets:read --expires 90d",
      "petstore keys list"
    ]
  },
  [create, list, revoke, rotate]
)

const notFound = (error: Error) =>
  new CommandFailed({ message: `${error.message}: see petstore keys list`, reason: "failed" })
