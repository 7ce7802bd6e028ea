/** `petstore backup`: copies the database while it is in use. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { fromStore } from "../CommandFailed.ts"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import * as Progress from "../cli/Progress.ts"
import { text } from "../Parse.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database } from "./CommonFlags.ts"

const file = Flag.required(
  "FILE",
  "the file to create; an existing file is not overwritten",
  (value) =>
    value === "-"
      ? Either.left("must be a file: a database cannot be written to a pipe")
      : text(value)
)

export const entry = Entry.command(
  {
    name: "backup",
    about: "copy the database to a file while servers use it",
    examples: ["petstore backup pets-2026-11-15.db"],
    flags: { file, database }
  },
  ({ file }) =>
    Effect.gen(function* () {
      const database = yield* CommandDatabase.existing
      const progress = yield* Progress.make
      yield* Effect.catchTag(
        database.backup(file, progress.show),
        "StoreUnavailable",
        fromStore(database)
      )
      yield* progress.say(
        `copied ${database.url} to ${file}; start it with DATABASE_URL=sqlite:${file}`
      )
    }).pipe(Effect.scoped)
)
