/** Disks that fail, are full, or are slow. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import type { Random } from "../Random.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

const secondsPerFault = 2
const syncMillis = 100

export const disk: Experiment = {
  name: "disk",
  attack:
    "under 32 writers syncs fail (EIO), writes fail (ENOSPC), reads fail (EIO) or syncs are slow; SIGKILL after each",
  databases: ["sqlite"],
  needs: ["Linux", "root", "strace"],
  seconds: 4 * secondsPerFault,
  least: {
    "failed syncs": 1,
    "failed writes": 1,
    "failed reads": 1,
    "slow syncs": 1,
    refused: 1,
    acknowledged: 50,
    "over without a restart": 1
  },
  controls: [{ broken: "the writer ignores that a commit failed", sabotage: "ignored-errors" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { count, random, sabotage, seconds, wrong } = trial
      const { url } = Storage.sqlite(yield* Storage.folder)
      const service = yield* Service.started({ url, sabotage })
      const load = yield* Load.make({ ports: [service.port] })
      const times = Math.max(kinds.length, Math.round(seconds / secondsPerFault))
      for (let nth = 0; nth < times; nth++) {
        const kind = kinds[nth % kinds.length] ?? ""
        const unanswered = load.statuses.of(0)
        const inject = injectionOf(faults[kind] ?? "", random)
        yield* Effect.scoped(
          Effect.zipRight(
            injected(service, inject, () => count(kind)),
            Effect.sleep(500 * secondsPerFault)
          )
        )
        if (yield* Load.untilAdded(load, 1, 3000)) count("over without a restart")
        if (load.statuses.of(0) > unanswered) wrong(`with ${inject}, requests were not answered`)
        if (!service.isRunning()) wrong(`with ${inject}, the service ended`)
        yield* service.kill
        yield* Effect.orDie(service.start)
        if (!(yield* Load.untilAdded(load, 1, 30_000)))
          wrong(`after ${inject} and a restart no add succeeded`)
      }
      count("refused", load.statuses.of(503))
      yield* Load.ended(trial, load, service.port, 0)
    })
}

/** A 201 that another sync covers than its own, or none, arrives before a sync can be over. */
export const sync: Experiment = {
  name: "sync",
  attack: `each sync takes ${syncMillis} ms longer: under 32 writers no 201 may arrive earlier`,
  databases: ["sqlite"],
  needs: ["Linux", "root", "strace"],
  seconds: 3,
  least: { acknowledged: 50, "syncs of the log": 5 },
  controls: [
    {
      broken: "SQLite syncs before checkpoints only (`synchronous = NORMAL`)",
      sabotage: "synchronous-normal"
    }
  ],
  run: (trial) =>
    Effect.gen(function* () {
      const { count, sabotage, seconds } = trial
      const { url } = Storage.sqlite(yield* Storage.folder)
      const service = yield* Service.started({ url, sabotage })
      const inject = `fsync,fdatasync:delay_enter=${syncMillis}ms`
      yield* injected(service, inject, (line) => {
        if (line.includes("-wal>")) count("syncs of the log")
      })
      const load = yield* Load.make({ ports: [service.port] })
      yield* Effect.sleep(seconds * 1000)
      yield* load.stop
      const early = load.history.filter(
        (entry) =>
          entry.kind === "create" && entry.status === 201 && entry.end - entry.begin < syncMillis
      )
      if (early.length > 0) trial.wrong(`${early.length} pets were acknowledged before a sync`)
      yield* Load.ended(trial, load, service.port)
    })
}

/** By what they make of system calls. */
const faults: Readonly<Record<string, string>> = {
  "failed syncs": "fsync,fdatasync:error=EIO",
  "failed writes": "pwrite64:error=ENOSPC",
  "failed reads": "pread64:error=EIO",
  "slow syncs": "fsync,fdatasync:delay_exit"
}
const kinds = Object.keys(faults)

/** Of each thread's calls some are affected, or all. */
const injectionOf = (fault: string, random: Random) => {
  const when = random.pick(["1+", `${1 + random.below(9)}+${1 + random.below(9)}`])
  const how = fault.endsWith("delay_exit") ? `${fault}=${random.pick([20, 200])}ms` : fault
  return `${how}:when=${when}`
}

/** Injects a fault into the service until the scope closes, and calls back for each call that it changed. */
const injected = (service: Service.Service, inject: string, onCall: (line: string) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const [calls = ""] = inject.split(":")
      const strace = spawn(
        "strace",
        ["-f", "-y", "-p", String(service.pid()), "-e", `trace=${calls}`, "-e", `inject=${inject}`],
        { stdio: ["ignore", "ignore", "pipe"] }
      )
      const lines = createInterface(strace.stderr)
      // It says when it has attached itself to all threads.
      const [first] = await once(lines, "line")
      if (!String(first).includes(" attached")) throw new Error(first)
      lines.on("line", (line) => {
        if (/\((?:INJECTED|DELAYED)\)$/.test(line)) onCall(line)
      })
      return strace
    }),
    (strace) =>
      Effect.promise(async () => {
        const ended = once(strace, "close")
        if (strace.kill("SIGINT")) await ended
      })
  )
