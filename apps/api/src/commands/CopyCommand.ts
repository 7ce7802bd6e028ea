/** `petstore copy`: copies pets and keys from one database to another. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Command from "../cli/Command.ts"
import { invalid, unavailable } from "../cli/CommandFailed.ts"
import * as Flag from "../cli/Flag.ts"
import type { Parse } from "../cli/Parse.ts"
import * as Progress from "../cli/Progress.ts"
import * as Terminal from "../cli/Terminal.ts"
import { type DurableDatabase, forCommand, isDurable } from "../databases/Database.ts"
import * as Databases from "../databases/Databases.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import * as DatabaseCopy from "./DatabaseCopy.ts"

const durable: Parse<DurableDatabase> = (text) =>
  Either.filterOrLeft(
    Databases.parse(text),
    isDurable,
    ({ url }) => `must be a database that persists, not ${url}`
  )

const from = Flag.required("FROM", "the database to copy, as in DATABASE_URL", durable)
const to = Flag.required("TO", "the database to copy to; created if it is missing", durable)
const quick = Flag.toggle("--quick", "copy and compare only pets after the last one of TO")

export const command = Command.make(
  {
    name: "copy",
    about:
      "copy all pets and keys to another database, and compare the two; continues where it stopped",
    examples: ["petstore copy sqlite:data/petstore.db postgres://petstore@127.0.0.1/petstore"],
    flags: { from, to, quick }
  },
  Effect.fnUntraced(function* ({ from, quick, to }) {
    if (from.url === to.url) return yield* invalid("FROM and TO are the same database")
    const source = yield* open(from, "FROM")
    const target = yield* open(to, "TO")
    const progress = yield* Progress.make
    progress.show(0)
    const keys = yield* DatabaseCopy.copyKeys(source, target)
    const options = { isQuick: quick, onProgress: progress.show }
    const copied = yield* DatabaseCopy.copyPets(source, target, options)
    const { added, count, digest, hasMore, start } = copied
    const compared = quick ? `the ${Terminal.count(count, "pet")} after ${start}` : `all ${count}`
    yield* progress.finish(
      `copied ${Terminal.count(added, "pet")} and ${Terminal.count(keys, "key")}; ` +
        `${compared} are the same in both (SHA-256 ${digest})` +
        (hasMore ? "; TO has more pets after these" : "")
    )
  }, Effect.provide(CommandDatabase.logging))
)

/** Opens a database that the command line names, for as long as the scope is open. */
const open = Effect.fnUntraced(function* (database: DurableDatabase, name: "FROM" | "TO") {
  const explain = (error: StoreUnavailable) =>
    unavailable(database.explain(error).replaceAll("DATABASE_URL", name), error)
  if (name === "FROM" && !(yield* Effect.mapError(database.exists, explain))) {
    return yield* unavailable(
      `there is no database at ${database.url}: set FROM to an existing one`
    )
  }
  const context = yield* Effect.mapError(Layer.build(database.layer(forCommand)), explain)
  const pets = Context.get(context, PetStore)
  return { database, pets, keys: Context.get(context, ApiKeyStore), explain }
})
