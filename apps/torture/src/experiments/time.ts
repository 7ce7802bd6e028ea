/** Clocks that jump. */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

/** From this instant on `getPet` is gone. */
const sunset = Date.UTC(2030, 11, 5)
const hour = 3_600_000
const secondsPerJump = 0.4
const crossingMillis = 500
/** How well two processes agree about the time. */
const clockMillis = 5

/** The service with a clock that is set while it runs. */
export const time: Experiment = {
  name: "time",
  promise:
    "getPet answers 410 from the instant of its sunset, also if the clock jumps; lists and creates do not depend on it",
  attack:
    "libfaketime sets the clock of the running service to the sunset, back and ahead, to times from an hour before it to a day after, while callers add pets and follow the list",
  databases: ["sqlite"],
  needs: ["Linux", "faketime"],
  seconds: 6,
  least: { jumps: 15, "answers 410": 3, acknowledged: 20 },
  control: "the service reads the clock once, and counts from there",
  run: ({ database, isControl, random, seconds, show }) =>
    Effect.gen(function* () {
      const { url } = yield* Storage.make(database)
      const file = join(yield* Storage.folder, "clock")
      let offset = 0
      /** What the clock of the service says, in milliseconds. */
      const now = () => Date.now() + offset
      /** Sets the clock: it runs on from there. */
      const setClock = (millis: number) => {
        offset = millis - Date.now()
        const seconds = (offset / 1000).toFixed(3)
        writeFileSync(`${file}.new`, offset < 0 ? seconds : `+${seconds}`)
        renameSync(`${file}.new`, file)
      }
      setClock(sunset - hour)
      const wrapper = ["env", ...fakeTime(file)]
      const sabotage = isControl ? "clock-once" : undefined
      const service = yield* Service.started({ url, wrapper, sabotage })
      const wrong: Array<string> = []
      const { port } = service
      const load = yield* Load.make({ ports: [port], writers: 4, readers: 2, pauseMillis: 10 })
      const get = (path: string) => Effect.promise(() => Load.get(port, path))
      const add = (name: string, what: string, key?: string) =>
        Effect.gen(function* () {
          const entry = yield* Effect.promise(() => Load.add(port, { name, categoryId: 1 }, key))
          load.history.push(entry)
          if (entry.status !== 201) wrong.push(`${what}, createPet is ${entry.status}`)
          return entry
        })
      const first = yield* add("first", "at first", "first-key")
      const path = `/v1/pets/${first.pet?.id}`
      let gone = 0

      /** What must be answered once the clock is at this time. */
      const check = (millis: number, what: string) =>
        Effect.gen(function* () {
          setClock(millis)
          // The clock runs on meanwhile, but not across the sunset.
          const expected = millis >= sunset ? 410 : 200
          const got = yield* get(path)
          if (got.status === 410) gone += 1
          const { deprecation, sunset: dated } = got.headers
          if (got.status !== expected)
            wrong.push(`${what}, getPet is ${got.status} instead of ${expected}`)
          if (deprecation === undefined || dated !== new Date(sunset).toUTCString())
            wrong.push(`${what}, getPet does not name its sunset`)
          const list = yield* get("/v1/pets?limit=1")
          if (list.status !== 200) wrong.push(`${what}, listPets is ${list.status}`)
          yield* add(what, what)
          // A key is kept for a day.
          if (Math.abs(millis - sunset) < 20 * hour) {
            const again = yield* add("first", what, "first-key")
            if (again.pet?.id !== first.pet?.id) wrong.push(`${what}, a key added a second pet`)
          }
          yield* show(`${what}: getPet is ${got.status}`)
        })
      /** Asks all the time while the clock goes across the sunset. */
      const cross = async () => {
        setClock(sunset - crossingMillis)
        for (let status = 200; status === 200; ) {
          const began = now()
          ;({ status } = await Load.get(port, path))
          if (status === 200 && began > sunset + clockMillis)
            return ["after the sunset, getPet is 200"]
          if (status !== 200 && now() < sunset - clockMillis)
            return [`before the sunset, getPet is ${status}`]
        }
        return []
      }
      const jumps: Array<readonly [number, string]> = [
        [sunset - hour, "an hour before the sunset"],
        [sunset, "at the sunset"],
        [sunset - hour, "back an hour"],
        [sunset + 1000, "a second after the sunset"],
        [sunset - 30_000, "half a minute before the sunset"],
        [sunset + 18 * hour, "ahead 18 hours"]
      ]
      for (let nth = jumps.length; nth < seconds / secondsPerJump; nth++) {
        const away = random.pick([-1, 1]) * (30_000 + random.below(18 * hour))
        jumps.push([sunset + away, `at jump ${nth + 1}`])
      }
      jumps.push([sunset + 24 * hour, "ahead a day"])
      for (const [millis, what] of jumps) yield* check(millis, what)
      wrong.push(...(yield* Effect.promise(cross)))
      yield* load.stop
      wrong.push(...(yield* Load.judge(load, service.port)))
      const failed = load.statuses.total() - load.statuses.of(200) - load.statuses.of(201)
      if (failed > 0) wrong.push(`${failed} other requests failed`)
      return {
        figures: {
          jumps: jumps.length + 1,
          "answers 410": gone,
          acknowledged: load.acknowledged(),
          failed
        },
        wrong
      }
    })
}

/** The settings of libfaketime that read the clock from a file at each look. */
const fakeTime = (file: string): ReadonlyArray<string> => [
  // For the threads of a process, too; the dynamic linker knows the folder.
  "LD_PRELOAD=/usr/$LIB/faketime/libfaketimeMT.so.1",
  `FAKETIME_TIMESTAMP_FILE=${file}`,
  "FAKETIME_NO_CACHE=1",
  "FAKETIME_DONT_FAKE_MONOTONIC=1",
  "TZ=UTC"
]
