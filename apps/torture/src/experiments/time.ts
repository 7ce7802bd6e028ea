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

export const time: Experiment = {
  name: "time",
  attack:
    "libfaketime sets the clock of the running service to the sunset of getPet, back and ahead, under callers",
  databases: ["sqlite"],
  needs: ["Linux", "faketime"],
  seconds: 6,
  least: { jumps: 15, "answers 410": 3, acknowledged: 20 },
  controls: [
    {
      broken: "the service reads the clock once, and counts from there",
      sabotage: "clock-once"
    }
  ],
  run: (trial) =>
    Effect.gen(function* () {
      const { count, random, sabotage, seconds, wrong } = trial
      const { url } = yield* Storage.make(trial.database)
      const file = join(yield* Storage.folder, "clock")
      /** Sets the clock: it runs on from there. */
      const setClock = (millis: number) => {
        const offset = millis - Date.now()
        const seconds = (offset / 1000).toFixed(3)
        writeFileSync(`${file}.new`, offset < 0 ? seconds : `+${seconds}`)
        renameSync(`${file}.new`, file)
      }
      setClock(sunset - hour)
      const wrapper = ["env", ...fakeTime(file)]
      const { port } = yield* Service.started({ url, wrapper, sabotage })
      const load = yield* Load.make({ ports: [port], writers: 4, readers: 2, pauseMillis: 10 })
      const get = (path: string) => Effect.promise(() => Load.get(port, path))
      const add = (name: string, what: string, key?: string) =>
        Effect.gen(function* () {
          const entry = yield* Effect.promise(() => Load.add(port, { name, categoryId: 1 }, key))
          load.history.push(entry)
          if (entry.status !== 201) wrong(`${what}, createPet is ${entry.status}`)
          return entry.pet?.id
        })
      const first = yield* add("first", "at first", "first-key")
      const path = `/v1/pets/${first}`

      /** What must be answered once the clock is at this time. */
      const check = (millis: number) =>
        Effect.gen(function* () {
          const what = `at ${new Date(millis).toISOString()}`
          setClock(millis)
          count("jumps")
          // The clock runs on meanwhile, but not across the sunset.
          const expected = millis >= sunset ? 410 : 200
          const { headers, status } = yield* get(path)
          if (status === 410) count("answers 410")
          if (status !== expected) wrong(`${what}, getPet is ${status} instead of ${expected}`)
          const isDated = headers["sunset"] === new Date(sunset).toUTCString()
          if (headers["deprecation"] === undefined || !isDated)
            wrong(`${what}, getPet does not name its sunset`)
          const list = yield* get("/v1/pets?limit=1")
          if (list.status !== 200) wrong(`${what}, listPets is ${list.status}`)
          yield* add(`${what}, ${performance.now()}`, what)
          // A key is kept for a day.
          const isKept = Math.abs(millis - sunset) < 20 * hour
          if (isKept && (yield* add("first", what, "first-key")) !== first)
            wrong(`${what}, a key added a second pet`)
        })
      for (const away of [-hour, 0, -hour, 1000, -30_000, 18 * hour]) yield* check(sunset + away)
      for (let nth = seconds / secondsPerJump; nth > 6; nth--)
        yield* check(sunset + random.pick([-1, 1]) * (30_000 + random.below(18 * hour)))
      yield* check(sunset + 24 * hour)
      yield* Load.ended(trial, load, port)
      const refused = load.statuses.of(503)
      if (refused > 0) wrong(`${refused} other requests were answered with 503`)
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
