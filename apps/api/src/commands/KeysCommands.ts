/** `petstore keys`: manages API keys, directly in the database. */
import { endOf, KeyId, KeyName } from "@petstore/access/ApiKey"
import { type ApiKeyEnded, type ApiKeyNotFound, ApiKeys } from "@petstore/access/ApiKeys"
import * as KeyText from "@petstore/access/KeyText"
import * as PetStoreApi from "@petstore/http-pets/PetStoreApi"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Command from "../cli/Command.ts"
import { type CommandFailed, failed } from "../cli/CommandFailed.ts"
import * as Flag from "../cli/Flag.ts"
import { duration, fromSchema, oneOf } from "../cli/Parse.ts"
import { table } from "../cli/Table.ts"
import * as Terminal from "../cli/Terminal.ts"
import * as Keys from "../service/Keys.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database, json } from "./CommonFlags.ts"
import * as KeyView from "./KeyView.ts"

const name = Flag.required(
  "--name NAME",
  "a name that says what the key is for",
  fromSchema(KeyName)
)
const scopes = Flag.repeated(
  `--scope ${PetStoreApi.scopes.join("|")}`,
  "a scope of the key; repeatable; default: all",
  oneOf(PetStoreApi.scopes)
)
const expires = Flag.optional(
  "--expires DURATION",
  "lifetime of the key, such as 90d; default: unlimited",
  (text) =>
    Either.filterOrLeft(
      duration(text),
      (lifetime) => !Duration.isZero(lifetime),
      () => "must be longer than 0"
    )
)
const overlap = Flag.optional(
  "--overlap DURATION",
  "how long the old key keeps working; default: 24h",
  duration
)
const isNew = Flag.toggle("--new-database", "create the database if there is none")
const id = Flag.required(
  "ID",
  "the id of the key (see petstore keys list), or the whole key",
  (text): Either.Either<KeyId, string> =>
    text.startsWith("pet_")
      ? Either.fromNullable(KeyText.idOf(text), () => "is mistyped: checksum mismatch")
      : fromSchema(KeyId)(text)
)

type Failure = ApiKeyEnded | ApiKeyNotFound | CommandFailed | StoreUnavailable

const using = <A>(
  database: typeof CommandDatabase.existing,
  use: (keys: ApiKeys["Type"]) => Effect.Effect<A, Failure, Terminal.Terminal>
) =>
  Effect.flatMap(database, (database) =>
    Effect.flatMap(ApiKeys, use).pipe(
      Effect.catchTags({ ApiKeyNotFound: notFound, ApiKeyEnded: notFound }),
      Effect.provide(Keys.stored()),
      CommandDatabase.using(database)
    )
  )

const create = Command.make(
  {
    name: "create",
    runsToTheEnd: true,
    about: "create a key and print it once",
    notes: ["The database keeps only a digest of the key. When piped, only the key is printed."],
    examples: [
      "petstore keys create --name ci --scope pets:read --expires 90d",
      'PETSTORE_API_KEY="$(petstore keys create --name shell)"'
    ],
    flags: { name, scopes, expires, database, isNew, json }
  },
  ({ expires, isNew, json, name, scopes }) => {
    const distinct = Arr.dedupe(scopes)
    const granted = Arr.isNonEmptyArray(distinct) ? distinct : PetStoreApi.scopes
    const request = { name, scopes: granted, ...(expires && { lifetime: expires }) }
    const place = isNew ? CommandDatabase.orNew : CommandDatabase.existing
    return using(place, (keys) => KeyView.shown(keys.issue(request), json))
  }
)

const list = Command.make(
  {
    name: "list",
    about: "list all keys; times are in UTC",
    flags: { database, json }
  },
  Effect.fnUntraced(function* ({ json }) {
    const keys = yield* using(CommandDatabase.existing, ({ list }) => list)
    const now = yield* Clock.currentTimeMillis
    yield* json
      ? Terminal.printJson(keys.map(KeyView.describe(now)))
      : table(KeyView.titles)(keys.map(KeyView.cells(now)))
  })
)

const revoke = Command.make(
  {
    name: "revoke",
    runsToTheEnd: true,
    about: "revoke a key; servers reject it within two seconds",
    notes: ["The id is enough: a whole key on a command line stays in the history of the shell."],
    flags: { id, database, json }
  },
  Effect.fnUntraced(function* ({ id, json }) {
    const key = yield* using(CommandDatabase.existing, (keys) => keys.revoke(id))
    yield* json
      ? Terminal.printJson(KeyView.describe(yield* Clock.currentTimeMillis)(key))
      : Terminal.print(`revoked ${key.id} (${key.name})`)
    yield* Terminal.countAsDone
  })
)

const rotate = Command.make(
  {
    name: "rotate",
    runsToTheEnd: true,
    about: "replace a key; the old one works until the overlap ends",
    notes: ["Finish retries with the old key: with the new one, a retried add adds a second pet."],
    flags: { id, overlap, database, json }
  },
  Effect.fnUntraced(function* ({ id, json, overlap = Duration.days(1) }) {
    const { replaced } = yield* using(CommandDatabase.existing, (keys) =>
      KeyView.shown(keys.rotate(id, overlap), json)
    )
    if (!json && (yield* Terminal.isInteractive)) {
      const end = KeyView.moment(endOf(replaced))
      yield* Terminal.print(`The old key ${id} works until ${end} UTC.\n`)
    }
  })
)

export const command = Command.group(
  {
    name: "keys",
    about: "create, list, revoke and rotate API keys",
    notes: [
      "Keys are kept in the database. A new one works at once; servers reject a revoked one within two seconds."
    ]
  },
  [create, list, revoke, rotate]
)

const notFound = (error: Error) => failed(`${error.message}: see petstore keys list`)
