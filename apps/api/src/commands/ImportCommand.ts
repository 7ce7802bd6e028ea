/** `petstore import`: animals out of a file, all of them or none. */
import type { Arrival, IdsTaken } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Chunk from "effect/Chunk"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CommandFailed } from "../CommandFailed.ts"
import * as CatalogueFile from "../catalogue/CatalogueFile.ts"
import type { BadLine } from "../catalogue/Format.ts"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import * as Progress from "../cli/Progress.ts"
import * as Terminal from "../cli/Terminal.ts"
import { countAsDone } from "../ExitCode.ts"
import { text } from "../Parse.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import * as CommonFlags from "./CommonFlags.ts"

const file = Flag.argument({ name: "FILE", about: "the file to read, or - for the pipe" }, text)
const skipBadLines = Flag.toggle({
  name: "skip-bad-lines",
  about: "import the good lines although there are bad ones"
})
const newIds = Flag.toggle({
  name: "new-ids",
  about: "give every animal a new id, whichever it brings"
})

/** Imports a file. */
export const entry = Entry.command(
  "import",
  {
    about: "import animals from a file (NDJSON or CSV), all of them or none",
    examples: [
      "petstore import animals.csv",
      "petstore export - --database sqlite:old.db | petstore import -"
    ]
  },
  {
    flags: { format: CommonFlags.format, skipBadLines, newIds, database: CommonFlags.database },
    args: { file }
  },
  ({ database: flag, file, format: asked, newIds, skipBadLines }) =>
    Effect.gen(function* () {
      const format = yield* CommonFlags.formatOf(asked, file)
      yield* CatalogueFile.check(file)
      const database = yield* CommandDatabase.orNew(flag)
      if (file === CatalogueFile.pipe && process.stdin.isTTY) {
        yield* Console.error("reading what you type; Ctrl-D ends it")
      }
      const progress = yield* Progress.make
      const name = file === CatalogueFile.pipe ? "stdin" : file
      let bad = 0
      let good = 0
      let isHopeless = false

      const tell = ({ place, reason }: BadLine) =>
        Effect.zipRight(progress.end, Console.error(`${name}:${place}: ${reason}`))
      const tellTaken = ({ count, taken }: IdsTaken) =>
        Effect.gen(function* () {
          for (const { id, place } of taken) yield* tell({ place, reason: `the id ${id} is taken` })
          if (count > taken.length) yield* Console.error(`… and ${count - taken.length} more`)
          return yield* refused(`${Terminal.count(count, "id")} taken; --new-ids gives new ones`)
        })
      const arrivals = CatalogueFile.read(file, format, (part) =>
        progress.show(part, Terminal.count(good, "animal"))
      ).pipe(
        Stream.mapChunksEffect((records) => {
          const [badOnes, goodOnes] = Chunk.partition(records, isArrival)
          bad += badOnes.length
          isHopeless ||= Chunk.some(badOnes, ({ isFatal = false }) => isFatal)
          good += goodOnes.length
          const arrivals = newIds ? Chunk.map(goodOnes, withoutId) : goodOnes
          return Effect.as(Effect.forEach(badOnes, tell, { discard: true }), arrivals)
        }),
        Stream.concat(
          Stream.suspend(() =>
            isHopeless || (bad > 0 && !skipBadLines)
              ? Stream.fail(refused(Terminal.count(bad, "bad line")))
              : Stream.empty
          )
        )
      )
      const added = yield* CommandDatabase.using(
        database,
        Effect.flatMap(Pets.Pets, (pets) => pets.addAll(arrivals)).pipe(
          Effect.provide(Pets.layer),
          Effect.catchTag("IdsTaken", tellTaken)
        )
      )
      yield* progress.end
      const leftOut = bad > 0 ? `, left out ${Terminal.count(bad, "bad line")}` : ""
      yield* Console.error(`imported ${Terminal.count(added, "animal")}${leftOut}`)
      yield* countAsDone
      // The store lets itself be stopped until the animals go in; whoever stops it then is told so.
    }).pipe(Effect.scoped, Effect.uninterruptible)
)

const isArrival = (record: Arrival | BadLine): record is Arrival => "pet" in record

const withoutId = ({ pet: { id: _, ...pet }, place }: Arrival): Arrival => ({ place, pet })

const refused = (why: string) =>
  new CommandFailed({ message: `nothing was imported: ${why}`, reason: "failed" })
