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

/** System calls of the running service fail, or take long. */
export const disk: Experiment = {
  name: "disk",
  promise: "a disk that fails, is full or slow costs 503, never an acknowledged pet",
  attack:
    "syncs fail (EIO), writes fail (ENOSPC), reads fail (EIO), or syncs are slow, under 32 writers; kill and restart after each",
  databases: ["sqlite"],
  needs: ["Linux", "root", "strace"],
  seconds: 4 * secondsPerFault,
  control: "the writer ignores that a commit failed",
  run: ({ isControl, random, seconds, show }) =>
    Effect.gen(function* () {
      const { url } = Storage.sqlite(yield* Storage.folder)
      const sabotage = isControl ? "ignored-errors" : undefined
      const service = yield* Service.started({ url, sabotage })
      const load = yield* Load.make({ ports: [service.port] })
      const times = Math.max(faults.length, Math.round(seconds / secondsPerFault))
      const wrong: Array<string> = []
      let [calls, recovered, refused] = [0, 0, 0]
      const count = () => {
        calls += 1
      }
      for (let nth = 0; nth < times; nth++) {
        const fault = faults[nth % faults.length] ?? ""
        const before = {
          unanswered: load.statuses.get(0) ?? 0,
          refused: load.statuses.get(503) ?? 0
        }
        const inject = injectionOf(fault, random)
        yield* Effect.scoped(
          Effect.zipRight(injected(service, inject, count), Effect.sleep(500 * secondsPerFault))
        )
        const isBack = yield* untilAdded(load, "3 seconds")
        if (isBack) recovered += 1
        refused += (load.statuses.get(503) ?? 0) - before.refused
        const unanswered = (load.statuses.get(0) ?? 0) - before.unanswered
        if (unanswered > 0) wrong.push(`with ${inject}, ${unanswered} requests were not answered`)
        if (!service.isRunning()) wrong.push(`with ${inject}, the service ended`)
        yield* show(
          `${inject}: ${refused} times 503; adds ${isBack ? "succeed again" : "are refused"}`
        )
        yield* service.kill
        yield* Effect.orDie(service.start)
        if (!(yield* untilAdded(load, "30 seconds")))
          wrong.push(`after ${inject} and a restart no add succeeded`)
      }
      if (calls === 0) return yield* Effect.dieMessage("no fault was injected")
      yield* load.stop
      const others = [...load.statuses].filter(([status]) => ![0, 200, 201, 503].includes(status))
      for (const [status, many] of others) wrong.push(`${many} answers had status ${status}`)
      wrong.push(...(yield* Load.judge(load.history, service.port)))
      return {
        figures: {
          faults: times,
          "over without a restart": recovered,
          "failed or slow calls": calls,
          acknowledged: load.acknowledged(),
          refused
        },
        wrong
      }
    })
}

const faults = [
  "fsync,fdatasync:error=EIO",
  "pwrite64:error=ENOSPC",
  "pread64:error=EIO",
  "fsync,fdatasync:delay_exit"
]

/** Of each thread's calls some are affected, or all. */
const injectionOf = (fault: string, random: Random) => {
  const when = random.pick(["1+", `${1 + random.below(9)}+${1 + random.below(9)}`])
  const how = fault.endsWith("delay_exit") ? `${fault}=${random.pick([20, 200])}ms` : fault
  return `${how}:when=${when}`
}

/** Injects a fault into the service until the scope closes, and calls back for each call that it changed. */
const injected = (service: Service.Service, inject: string, onCall: () => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const [calls = ""] = inject.split(":")
      const strace = spawn(
        "strace",
        ["-f", "-p", String(service.pid()), "-e", `trace=${calls}`, "-e", `inject=${inject}`],
        { stdio: ["ignore", "ignore", "pipe"] }
      )
      const lines = createInterface(strace.stderr)
      // It says when it has attached itself to all threads.
      const [first] = await once(lines, "line")
      if (!String(first).includes(" attached")) throw new Error(first)
      lines.on("line", (line) => {
        if (/\((?:INJECTED|DELAYED)\)$/.test(line)) onCall()
      })
      return strace
    }),
    (strace) =>
      Effect.promise(async () => {
        const ended = once(strace, "close")
        if (strace.kill("SIGINT")) await ended
      })
  )

/** Whether an add succeeds in time. */
const untilAdded = (load: Load.Load, duration: "3 seconds" | "30 seconds") =>
  Effect.suspend(() => {
    const before = load.acknowledged()
    return Effect.void.pipe(
      Effect.delay("10 millis"),
      Effect.repeat({ until: () => load.acknowledged() > before }),
      Effect.timeoutTo({ duration, onSuccess: () => true, onTimeout: () => false })
    )
  })
