/** `petstore backup`: copies the database while it is in use. */
import * as Effect from "effect/Effect"
import * as Command from "../cli/Command.ts"
import * as Progress from "../cli/Progress.ts"
import { notesOn } from "../databases/Databases.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database, databaseFile } from "./CommonFlags.ts"

const file = databaseFile("the file to create; an existing file is not overwritten")

export const command = Command.make(
  {
    name: "backup",
    about: "copy the database to a file while servers use it",
    notes: ["petstore restore puts it back.", ...notesOn("backup")],
    examples: ["petstore backup pets-2026-11-15.db"],
    flags: { file, database }
  },
  // The copy is interruptible until it gets its name; after that it is done.
  Effect.fnUntraced(function* ({ file }) {
    const database = yield* CommandDatabase.existing
    const progress = yield* Progress.make
    yield* CommandDatabase.explained(database, database.backup(file, progress.show))
    yield* progress.finish(`copied ${database.url} to ${file}; petstore restore puts it back`)
  }, Effect.uninterruptible)
)
