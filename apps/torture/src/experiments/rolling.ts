/** Rolling restarts. */
import { createPetStore, type Pet } from "@petstore/http-client"
import type * as History from "@petstore/store-testkit/History"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Balancer from "../Balancer.ts"
import * as Display from "../Display.ts"
import type { Experiment } from "../Experiment.ts"
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

/** Two servers are stopped and started again in turn, while callers use the published client. */
export const rolling: Experiment = {
  name: "rolling",
  promise:
    "with the published client no call fails during rolling restarts, and no pet is added twice",
  attack:
    "SIGTERM of two servers on one database in turn, behind a proxy that repeats reads and refused connections, and loses one of fifty answers to creates",
  databases: ["sqlite", "postgres"],
  needs: [],
  seconds: 2 * secondsPerRestart,
  least: { restarts: 2, calls: 200, "tried again": 1, "answers lost": 1 },
  control: "the client sends no idempotency keys",
  run: ({ database, isControl, seconds, show }) =>
    Effect.gen(function* () {
      const storage = yield* Storage.make(database)
      const loss = losses()
      const balancer = yield* Balancer.make(2, storage, loss.isLost)
      yield* Display.show(balancer, show)
      const load = yield* callers(`http://127.0.0.1:${balancer.port}`, !isControl)
      const restarts = Math.max(2, Math.round(seconds / secondsPerRestart))
      const wrong: Array<string> = []
      for (let nth = 0; nth < restarts; nth++) {
        const one = balancer.backends[nth % 2]
        if (one === undefined) break
        const stopped = Effect.timeoutOption(Effect.disconnect(one.service.stop), minute)
        const code = Option.getOrUndefined(yield* stopped)
        if (code !== 0) wrong.push(code === undefined ? late : `a server exited with ${code}`)
        if (code === undefined) yield* one.service.kill
        yield* Effect.orDie(one.service.start)
        // The proxy sends requests to it again, and it answers some.
        const enough = one.answered + 100
        const serves = Wait.holds(() => one.isUp && one.answered >= enough, minute)
        if (!(yield* serves)) wrong.push("a server did not serve again")
        yield* show(`      restart ${nth + 1} of ${restarts}: ${one.name} serves again`)
      }
      yield* load.stop
      wrong.push(...load.failures)
      return {
        figures: {
          restarts,
          calls: load.history.length,
          "tried again": load.retries(),
          "answers lost": loss.count(),
          "failed calls": load.failures.length
        },
        wrong: [...new Set(wrong), ...(yield* Load.judge(load, balancer.port))]
      }
    })
}

const late = "a server did not stop in a minute"

/** Loses the answer to every fiftieth create, but only one of each pet: two failures in a row are left to the restarts. */
const losses = () => {
  const lost = new Set<string>()
  let creates = 0
  return {
    count: () => lost.size,
    isLost: ({ body = "", method }: Request) => {
      const text = body.toString()
      if (method !== "POST" || ++creates % 50 !== 0 || lost.has(text)) return false
      lost.add(text)
      return true
    }
  }
}

/** Callers with the published client, as it is by default, that add pets and follow the list. */
const callers = (baseUrl: string, hasKeys: boolean) =>
  Effect.gen(function* () {
    const history: Array<History.Entry> = []
    const failures: Array<string> = []
    let retries = 0
    let names = 0
    const client = createPetStore({
      baseUrl,
      apiKey: key,
      onRetry: () => {
        retries += 1
      },
      ...(!hasKeys && { onRequest: ({ headers }) => headers.delete("Idempotency-Key") })
    })
    const failed = (what: string) => (error: unknown) => {
      failures.push(`${what} failed: ${error}`)
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
    /** Reads one page after another, and stays at the last one. */
    const follower = () => {
      let next: string | undefined
      let after = 0
      return async () => {
        await Wait.pause(pauseMillis)
        const begin = performance.now()
        const page = await client.pets.list({ limit, after: next }).catch(failed("a list"))
        if (page === undefined) return
        const pets = page.pets.map(seen)
        const isLast = page.next === undefined
        history.push({ kind: "list", after, limit, isLast, pets, begin, end: performance.now() })
        if (isLast) return
        next = page.next
        after = pets.at(-1)?.id ?? after
      }
    }
    const stop = yield* Load.repeated([
      ...Array.from({ length: writers }, () => write),
      ...Array.from({ length: readers }, follower)
    ])
    return { history, failures, retries: () => retries, stop }
  })

const seen = ({ categoryId, id, ...pet }: Pet): History.SeenPet => ({
  ...pet,
  id: Number(id),
  categoryId: Number(categoryId)
})
