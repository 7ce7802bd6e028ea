/** `petstore export`: writes the whole catalogue to a file. */
import type { ListPets } from "@petstore/domain/ListPets"
import { PageLimit, type PetPage } from "@petstore/domain/PetPage"
import * as Pets from "@petstore/domain/Pets"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "../cli/Command.ts"
import * as Flag from "../cli/Flag.ts"
import { text } from "../cli/Parse.ts"
import * as Progress from "../cli/Progress.ts"
import * as Terminal from "../cli/Terminal.ts"
import * as Formats from "../petFiles/Formats.ts"
import * as PetFile from "../petFiles/PetFile.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database, format } from "./CommonFlags.ts"

const file = Flag.required(
  "FILE",
  "the file to create, or - for standard output; never overwrites",
  text
)
const limit = PageLimit.make(100)
const pieceLength = 65_536

export const command = Command.make(
  {
    name: "export",
    about: "export all pets to a file (NDJSON or CSV)",
    notes: [
      "For a consistent snapshot, export from a backup: pets that are added meanwhile may be missing.",
      "In CSV, a name that begins with = is a formula for a spreadsheet: open it as text there."
    ],
    examples: ["petstore export pets.ndjson", "petstore export - --format csv | head"],
    flags: { file, format, database }
  },
  Effect.fnUntraced(function* ({ file, format: asked }) {
    const format = yield* Formats.choose(asked, file)
    const database = yield* CommandDatabase.existing
    const output = yield* PetFile.create(file)
    const progress = yield* Progress.make
    const count = yield* Effect.gen(function* () {
      const pets = yield* Pets.Pets
      let count = 0
      let text = format.header
      let query: Option.Option<ListPets> = Option.some({ limit })
      while (Option.isSome(query)) {
        const page: PetPage = yield* pets.list(query.value)
        for (const pet of page.pets) {
          text += format.write(pet)
          if (text.length < pieceLength) continue
          yield* output.write(text)
          text = ""
        }
        count += page.pets.length
        query = Option.map(page.next, (after) => ({ limit, after }))
        // On standard output the pets themselves show the progress.
        if (file !== PetFile.pipe) progress.show(undefined, count)
      }
      yield* output.write(text)
      return count
    }).pipe(Effect.provide(Pets.layer), CommandDatabase.using(database))
    yield* output.finish
    yield* progress.say(`exported ${Terminal.count(count, "pet")}`)
  })
)
