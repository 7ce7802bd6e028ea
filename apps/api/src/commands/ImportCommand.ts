/** `petstore import`: adds all pets of a file, or none. */
import type { Arrival, IdsTaken } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Command from "../cli/Command.ts"
import { failed } from "../cli/CommandFailed.ts"
import * as Flag from "../cli/Flag.ts"
import { text } from "../cli/Parse.ts"
import * as Progress from "../cli/Progress.ts"
import * as Terminal from "../cli/Terminal.ts"
import * as Csv from "../petFiles/Csv.ts"
import type { BadLine } from "../petFiles/Format.ts"
import * as Formats from "../petFiles/Formats.ts"
import * as PetFile from "../petFiles/PetFile.ts"
import * as CommandDatabase from "./CommandDatabase.ts"
import { database, format } from "./CommonFlags.ts"

/** How many invalid lines are reported. */
const maxReported = 100

const file = Flag.required("FILE", "the file to read, or - for standard input", text)
const skipBadLines = Flag.toggle("--skip-bad-lines", "skip invalid lines and import the others")
const newIds = Flag.toggle("--new-ids", "assign new ids and ignore those in the file")

export const command = Command.make(
  {
    name: "import",
    runsToTheEnd: true,
    about: "import pets from a file (NDJSON or CSV), all or none",
    notes: [
      'NDJSON has one pet per line, such as {"name": "Rex", "categoryId": 1, "status": "available"}.',
      Csv.note,
      "Its fields are separated by commas, semicolons or tabs. A pet without an id gets a new one.",
      "Servers can keep running: they see all pets of the file at once."
    ],
    examples: [
      "petstore import pets.csv",
      "petstore export - --database sqlite:old.db | petstore import -"
    ],
    flags: { file, format, skipBadLines, newIds, database }
  },
  // The store stays interruptible until its transaction begins; after that the import completes.
  Effect.fnUntraced(function* ({ file, format: asked, newIds, skipBadLines }) {
    yield* PetFile.check(file)
    const format = yield* Formats.choose(asked, file)
    const database = yield* CommandDatabase.orNew
    const terminal = yield* Terminal.Terminal
    const progress = yield* Progress.make
    const name = file === PetFile.pipe ? "stdin" : file
    let bad = 0
    let good = 0
    let [isFatal, isRejected] = [false, false]

    const report = (place: number, text: string) => progress.say(`${name}:${place}: ${text}`)
    const reportRest = (count: number) =>
      count > 0 ? progress.say(`… and ${count} more`) : Effect.void
    const reportBad = (line: BadLine) => {
      bad++
      isFatal ||= line.isFatal === true
      isRejected ||= isFatal || !skipBadLines
      return bad > maxReported ? Effect.void : report(line.place, line.reason)
    }
    const reportTaken = Effect.fnUntraced(function* ({ count, taken }: IdsTaken) {
      const first = taken.slice(0, maxReported)
      for (const { id, place } of first) yield* report(place, `the id ${id} is taken`)
      yield* reportRest(count - first.length)
      const ids = Terminal.count(count, "id")
      return yield* rejected(`${ids} taken; use --new-ids to assign new ones`)
    })
    const reportEnd = Effect.gen(function* () {
      yield* reportRest(bad - maxReported)
      if (!isRejected) return
      const how = isFatal || skipBadLines ? "" : "; --skip-bad-lines imports the others"
      return yield* rejected(Terminal.count(bad, "invalid line") + how)
    })
    const arrivals = PetFile.read(file, format, terminal, (part) => progress.show(part, good)).pipe(
      Stream.mapChunksEffect((records) => {
        const [badOnes, goodOnes] = Chunk.partition(records, isArrival)
        good += goodOnes.length
        const arrivals = newIds ? Chunk.map(goodOnes, withoutId) : goodOnes
        return Effect.as(Effect.forEach(badOnes, reportBad, { discard: true }), arrivals)
      }),
      Stream.onEnd(reportEnd)
    )
    const added = yield* Effect.flatMap(Pets.Pets, (pets) => pets.import(arrivals)).pipe(
      Effect.provide(Pets.layer),
      Effect.catchTag("IdsTaken", reportTaken),
      CommandDatabase.using(database),
      Effect.onInterrupt(() => progress.say("nothing was imported: interrupted"))
    )
    const skipped = bad > 0 ? `, skipped ${Terminal.count(bad, "invalid line")}` : ""
    yield* progress.finish(`imported ${Terminal.count(added, "pet")}${skipped}`)
  })
)

const isArrival = (record: Arrival | BadLine): record is Arrival => "pet" in record

const withoutId = ({ pet: { id: _, ...pet }, place }: Arrival): Arrival => ({ place, pet })

const rejected = (why: string) => failed(`nothing was imported: ${why}`)
