/** Rolling restarts. */
import { createPetStore, type Pet } from "@petstore/http-client"
import type * as History from "@petstore/store-testkit/History"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Balancer from "../Balancer.ts"
import type { Experiment, Trial } from "../Experiment.ts"
import type { Request } from "../Http.ts"
import * as Load from "../Load.ts"
import { key } from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const secondsPerRestart = 2
const writers = 16
const readers = 4
const pauseMillis = 10
const limit = 100
const minute = 60_000

export const rolling: Experiment = {
  name: "rolling",
  attack:
    "SIGTERM of two servers in turn under the published client, behind a proxy that loses one of fifty answers to creates",
  databases: ["sqlite", "postgres"],
  seconds: 2 * secondsPerRestart,
  least: { restarts: 2, calls: 200, "tried again": 1, "answers lost": 1 },
  controls: [{ broken: "the client sends no idempotency keys" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { isControl, seconds, wrong } = trial
      const storage = yield* Storage.make(trial.database)
      const balancer = yield* Balancer.make(2, storage, trial.show, losses(trial))
      const load = yield* callers(`http://127.0.0.1:${balancer.port}`, !isControl, trial)
      const restarts = Math.max(2, Math.round(seconds / secondsPerRestart))
      for (let nth = 0; nth < restarts; nth++) {
        const one = balancer.backends[nth % 2] ?? balancer.backends[0]
        const stopped = Effect.timeoutOption(Effect.disconnect(one.service.stop), minute)
        const code = Option.getOrUndefined(yield* stopped)
        if (code === undefined) yield* one.service.kill
        if (code !== 0) wrong(`a server exited with ${code ?? "nothing in a minute"}`)
        yield* Effect.orDie(one.service.start)
        // The proxy sends requests to it again, and it answers some.
        const enough = one.answered + 100
        const serves = Wait.holds(() => one.isUp && one.answered >= enough, minute)
        if (!(yield* serves)) wrong("a server did not serve again")
        trial.count("restarts")
        yield* trial.show(`      ${one.name} serves again`)
      }
      yield* Load.ended(trial, load, balancer.port)
      trial.count("calls", load.history.length)
    })
}

/** Loses the answer to every fiftieth create, but only one of each pet: two failures in a row are left to the restarts. */
const losses = ({ count }: Trial) => {
  const lost = new Set<string>()
  let creates = 0
  return ({ body = "", method }: Request) => {
    const text = body.toString()
    if (method !== "POST" || ++creates % 50 !== 0 || lost.has(text)) return false
    lost.add(text)
    count("answers lost")
    return true
  }
}

/** Callers with the published client, as it is by default, that add pets and follow the list. */
const callers = (baseUrl: string, hasKeys: boolean, { count, wrong }: Trial) =>
  Effect.gen(function* () {
    const history: Array<History.Entry> = []
    let names = 0
    const client = createPetStore({
      baseUrl,
      apiKey: key,
      onRetry: () => count("tried again"),
      ...(!hasKeys && { onRequest: ({ headers }) => headers.delete("Idempotency-Key") })
    })
    const failed = (what: string) => (error: unknown) => {
      wrong(`${what} failed: ${error}`)
      return undefined
    }
    const write = async () => {
      await Wait.pause(pauseMillis)
      const sent = { name: `Pet ${++names}`, categoryId: names }
      const begin = performance.now()
      const pet = await client.pets.add(sent).catch(failed("a create"))
      const answer = pet === undefined ? { status: 0 } : { status: 201, pet: seen(pet) }
      history.push({ kind: "create", sent, begin, end: performance.now(), ...answer })
    }
    const read = async () => {
      await Wait.pause(pauseMillis)
      const begin = performance.now()
      const page = await client.pets.list({ limit }).catch(failed("a list"))
      if (page === undefined) return
      const [pets, isLast] = [page.pets.map(seen), page.next === undefined]
      history.push({ kind: "list", after: 0, limit, isLast, pets, begin, end: performance.now() })
    }
    const stop = yield* Load.repeated([
      ...Array.from({ length: writers }, () => write),
      ...Array.from({ length: readers }, () => read)
    ])
    return { history, stop }
  })

const seen = ({ categoryId, id, ...pet }: Pet): History.SeenPet => ({
  ...pet,
  id: Number(id),
  categoryId: Number(categoryId)
})
