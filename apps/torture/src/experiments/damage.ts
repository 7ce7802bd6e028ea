/** Database files that are not as the program left them. */
import { copyFileSync, readdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import type * as History from "@petstore/store-testkit/History"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as DamagedFiles from "../DamagedFiles.ts"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const perSecond = 2
const atATime = 3

export const damage: Experiment = {
  name: "damage",
  attack: "database files are damaged, truncated, of others, of a newer version, or locked",
  databases: ["sqlite"],
  seconds: 7.5,
  least: { files: 10, refused: 1, served: 1 },
  controls: [
    {
      broken: "the program does not check the schema of a file",
      sabotage: "unchecked-schema"
    }
  ],
  run: ({ count, isControl, random, sabotage, seconds, wrong }) =>
    Effect.gen(function* () {
      const { file, pets } = yield* original
      const kinds = DamagedFiles.damages.filter(({ must }) => !isControl || must === "refuse")
      const rounds = Math.ceil((seconds * perSecond) / kinds.length)
      yield* Effect.forEach(
        Arr.makeBy(rounds, () => kinds).flat(),
        (damage) =>
          Effect.gen(function* () {
            const { must, name } = damage
            const damaged = Storage.sqlite(yield* Storage.folder).file
            for (const suffix of ["", "-wal"])
              copyFileSync(`${file}${suffix}`, `${damaged}${suffix}`)
            yield* DamagedFiles.apply(damage, damaged, random)
            const problems: Array<string> = []
            const outcome = yield* trial(damaged, must, pets, sabotage, problems)
            count("files")
            count(outcome)
            wrong(...problems.map((text) => `${name}: ${text}`))
          }).pipe(Effect.scoped),
        { concurrency: atATime }
      )
    })
}

/** A file of the program with 200 pets, and its log with 100 more. */
const original = Effect.gen(function* () {
  const { file, url } = Storage.sqlite(yield* Storage.folder)
  const service = yield* Service.started({ url })
  const load = yield* Load.make({ ports: [service.port] })
  yield* Load.untilAdded(load, 200)
  yield* service.stop
  yield* Effect.orDie(service.start)
  yield* Load.untilAdded(load, 100)
  yield* load.stop
  const pets = (yield* Load.catalogue(service.port)).flatMap((list) => list.pets)
  yield* service.kill
  return { file, pets }
})

/** Starts the program on a file, uses it, and says what was wrong. */
const trial = (
  file: string,
  must: DamagedFiles.Damage["must"],
  pets: ReadonlyArray<History.SeenPet>,
  sabotage: string | undefined,
  wrong: Array<string>
) =>
  Effect.gen(function* () {
    const before = stateOf(file)
    const service = yield* Service.make({ url: `sqlite:${file}`, sabotage })
    const outcome = yield* Effect.raceFirst(started(service, wrong), notReady(service))
    if (outcome !== "refused" && must === "refuse") wrong.push(`it was ${outcome}`)
    if (outcome !== "served" && must.startsWith("serve")) wrong.push(`it was ${outcome}`)
    const seen = outcome === "refused" ? [] : yield* use(service, wrong)
    if (/\n +at |"stack"|\\n +at /.test(service.output()))
      wrong.push(`a stack: ${service.output()}`)
    if (must === "refuse" && stateOf(file) !== before) wrong.push("the file was changed")
    const isSame = seen.every((pet, nth) => JSON.stringify(pet) === JSON.stringify(pets[nth]))
    if (must.startsWith("serve") && !(isSame && seen[0])) wrong.push("pets are not as sent")
    if (must === "serve all" && seen.length !== pets.length) wrong.push("pets were missing")
    return isSame ? outcome : `${outcome} with other pets`
  })

/** Starts the program, and checks how it ends if it is not ready. */
const started = (service: Service.Service, wrong: Array<string>) =>
  Effect.match(service.start, {
    onSuccess: () => "served",
    onFailure: ({ exitCode }) => {
      const said = messagesOf(service.output())
      if (exitCode !== 3) wrong.push(`the program ended with ${exitCode}`)
      if (said.size !== 1) wrong.push(`it said ${[...said].join(" and ") || "nothing"}`)
      return "refused"
    }
  })

/** Waits until the log says that the database fails, and a while for the end of a program that refuses it. */
const notReady = (service: Service.Service) =>
  Wait.holds(() => /"level":"error","message":"DATABASE_URL /.test(service.output())).pipe(
    Effect.zipRight(Effect.sleep("1 second")),
    Effect.as("not ready")
  )

/** What was printed, and logged, which may be the same. */
const messagesOf = (output: string) =>
  new Set(
    output
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (line.startsWith("{") ? String(JSON.parse(line).message) : line))
  )

/** The bytes of a file, and which files are beside it. */
const stateOf = (file: string) =>
  JSON.stringify([readdirSync(dirname(file)), readFileSync(file, "latin1")])

/** Reads all that can be read, adds a pet, and stops the service. Returns the pets. */
const use = (service: Service.Service, wrong: Array<string>) =>
  Effect.gen(function* () {
    const read = Load.follower()
    const pets: Array<History.SeenPet> = []
    const statuses = new Set<number>()
    for (let isOver = false; !isOver; ) {
      const list = yield* Effect.promise(() => read(service.port))
      statuses.add(typeof list === "number" ? list : 200)
      if (typeof list !== "number") pets.push(...list.pets)
      // A damaged file may have pages without an end.
      isOver = typeof list === "number" || list.isLast || pets.length > 1000
    }
    for (const path of ["/v1/pets?status=sold", "/v1/pets/1", "/v1/pets/200", "/readyz"]) {
      const { body, status } = yield* Effect.promise(() => Load.get(service.port, path))
      if (body.includes("does not answer")) wrong.push(`${path} does not say what is wrong`)
      statuses.add(status)
    }
    const sent = { name: "Rex", categoryId: 1 }
    statuses.add((yield* Effect.promise(() => Load.add(service.port, sent))).status)
    const others = [...statuses].filter((status) => ![200, 201, 404, 503].includes(status))
    if (others.length > 0) wrong.push(`answers had status ${others.join(" and ")}`)
    const exitCode = yield* service.stop
    if (exitCode !== 0) wrong.push(`it stopped with ${exitCode}`)
    return pets
  })
