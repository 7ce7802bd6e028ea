/** Keys that are created and revoked while servers run. */
import type * as History from "@petstore/store-testkit/History"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const secondsPerCycle = 4
const keysPerCycle = 2
/** Documented is one second; twice that is for machines whose cores are busy. */
const deadlineMillis = 2000
const callersPerServer = 2

export const keys: Experiment = {
  name: "keys",
  attack:
    "keys are created and revoked by commands, each killed once (SIGKILL), while callers use them on two servers under load",
  databases: ["sqlite", "postgres"],
  seconds: secondsPerCycle,
  least: { "keys revoked": keysPerCycle, "commands killed": keysPerCycle, uses: 50, refused: 8 },
  controls: [{ broken: "servers do not see revocations", sabotage: "no-revocations" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { count, random, sabotage, seconds, wrong } = trial
      const { url } = yield* Storage.make(trial.database)
      const services = yield* Effect.replicateEffect(Service.started({ url, sabotage }), 2)
      const ports = services.map(({ port }) => port)
      const load = yield* Load.make({ ports, writers: 4, readers: 1, pauseMillis: 50 })
      const { history } = load
      let slowest = 0
      let millis = 500
      /** Runs a command for keys, after it was killed at a random time, and returns what it prints. */
      const petstore = (...words: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const start = Service.command(["keys", ...words, "--json"], { url })
          const hit = yield* start
          yield* Effect.sleep(random.next() * millis)
          if (hit.process.exitCode === null) count("commands killed")
          hit.process.kill("SIGKILL")
          yield* hit.ended
          const began = performance.now()
          const { code, stderr, stdout } = yield* (yield* start).ended
          millis = performance.now() - began
          if (code !== 0) wrong(`keys ${words[0]} exited with ${code}: ${stderr}`)
          return stdout
        })
      for (let nth = Math.max(1, Math.round(seconds / secondsPerCycle)); nth > 0; nth--) {
        const created = yield* Effect.forEach(
          Array.from({ length: keysPerCycle }, () => random.pick([[], ["--scope", "pets:read"]])),
          (scope) => Effect.map(petstore("create", "--name", "torture", ...scope), keyOf),
          { concurrency: keysPerCycle }
        )
        const creation = performance.now()
        const uses = yield* Effect.forEach(created, ({ key }) => used(key, ports, history))
        const known = yield* Effect.all(
          uses.map(({ accepted }) => accepted),
          { concurrency: keysPerCycle }
        )
        slowest = Math.max(slowest, ...known.map((at) => at - creation))
        for (const { id, key } of created) {
          yield* petstore("revoke", id)
          const deadline = performance.now() + deadlineMillis
          history.push({ kind: "revocation", key, deadline })
          count("keys revoked")
        }
        // They are used for a while after the last deadline.
        yield* Effect.sleep(deadlineMillis + 500)
        yield* Effect.forEach(uses, ({ stop }) => stop)
      }
      if (slowest > deadlineMillis) wrong("a new key was not accepted in time")
      trial.note({ "new key accepted within": `${Math.round(slowest)} ms` })
      const uses = history.filter((entry) => entry.kind === "use")
      count("uses", uses.length)
      count("refused", uses.filter(({ status }) => status === 401).length)
      yield* Load.ended(trial, load, ports[0] ?? 0)
    })
}

const keyOf = (printed: string): { readonly id: string; readonly key: string } =>
  JSON.parse(printed)

/** Uses a key on each server until it is stopped. `accepted` completes when all servers have accepted it. */
const used = (key: string, ports: ReadonlyArray<number>, history: Array<History.Entry>) =>
  Effect.gen(function* () {
    const waiting = new Set(ports)
    const last = { at: 0 }
    const use = (port: number) => async () => {
      const begin = performance.now()
      const own = { authorization: `Bearer ${key}` }
      const { status } = await Load.get(port, "/v1/pets?limit=1", own)
      const end = performance.now()
      history.push({ kind: "use", key, status, begin, end })
      if (status === 200 && waiting.delete(port)) last.at = end
      await Wait.pause(50)
    }
    const stop = yield* Load.repeated(
      ports.flatMap((port) => Array.from({ length: callersPerServer }, () => use(port)))
    )
    const isAccepted = Wait.holds(() => waiting.size === 0)
    return { accepted: Effect.map(isAccepted, () => last.at), stop }
  })
