/** `petstore import`: adds all pets of a file, or none. */
import type { Arrival, IdsTaken } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Chunk from "effect/Chunk"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { countAsDone, failed } from "../CommandFailed.ts"
import * as CatalogueFile from "../catalogue/CatalogueFile.ts"
import type { BadLine } from "../catalogue/Format.ts"
import * as Formats from "../catalogue/Formats.ts"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import * as Progress from "../cli/Progress.ts"
import * as Terminal from "../cli/Terminal.ts"
import { text } from "../Parse.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database, format } from "./CommonFlags.ts"

const file = Flag.required("FILE", "the file to read, or - for standard input", text)
const skipBadLines = Flag.toggle("--skip-bad-lines", "skip invalid lines and import the others")
const newIds = Flag.toggle("--new-ids", "assign new ids and ignore those in the file")

export const entry = Entry.command(
  {
    name: "import",
    about: "import pets from a file (NDJSON or CSV), all or none",
    examples: [
      "petstore import pets.csv",
      "petstore export - --database sqlite:old.db | petstore import -"
    ],
    flags: { file, format, skipBadLines, newIds, database }
  },
  ({ file, format: asked, newIds, skipBadLines }) =>
    Effect.gen(function* () {
      const format = yield* Formats.choose(asked, file)
      yield* CatalogueFile.check(file)
      const database = yield* CommandDatabase.orNew
      if (file === CatalogueFile.pipe && process.stdin.isTTY) {
        yield* Console.error("reading from the terminal; end with Ctrl-D")
      }
      const progress = yield* Progress.make
      const name = file === CatalogueFile.pipe ? "stdin" : file
      let bad = 0
      let good = 0
      let isRejected = false

      const report = ({ place, reason }: BadLine) => progress.say(`${name}:${place}: ${reason}`)
      const reportTaken = ({ count, taken }: IdsTaken) =>
        Effect.gen(function* () {
          for (const { id, place } of taken)
            yield* report({ place, reason: `the id ${id} is taken` })
          if (count > taken.length) yield* Console.error(`… and ${count - taken.length} more`)
          return yield* rejected(
            `${Terminal.count(count, "id")} taken; use --new-ids to assign new ones`
          )
        })
      const arrivals = CatalogueFile.read(file, format, (part) =>
        progress.show(part, Terminal.count(good, "pet"))
      ).pipe(
        Stream.mapChunksEffect((records) => {
          const [badOnes, goodOnes] = Chunk.partition(records, isArrival)
          bad += badOnes.length
          isRejected ||= Chunk.some(badOnes, ({ isFatal }) => isFatal === true || !skipBadLines)
          good += goodOnes.length
          const arrivals = newIds ? Chunk.map(goodOnes, withoutId) : goodOnes
          return Effect.as(Effect.forEach(badOnes, report, { discard: true }), arrivals)
        }),
        Stream.onEnd(
          Effect.suspend(() =>
            isRejected ? rejected(Terminal.count(bad, "invalid line")) : Effect.void
          )
        )
      )
      const added = yield* Effect.flatMap(Pets.Pets, (pets) => pets.addAll(arrivals)).pipe(
        Effect.provide(Pets.layer),
        Effect.catchTag("IdsTaken", reportTaken),
        CommandDatabase.using(database)
      )
      const skipped = bad > 0 ? `, skipped ${Terminal.count(bad, "invalid line")}` : ""
      yield* progress.say(`imported ${Terminal.count(added, "pet")}${skipped}`)
      yield* countAsDone
      // The store stays interruptible until its transaction begins; after that the import completes.
    }).pipe(Effect.scoped, Effect.uninterruptible)
)

const isArrival = (record: Arrival | BadLine): record is Arrival => "pet" in record

const withoutId = ({ pet: { id: _, ...pet }, place }: Arrival): Arrival => ({ place, pet })

const rejected = (why: string) => failed(`nothing was imported: ${why}`)
