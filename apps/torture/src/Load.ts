/** Callers that add pets and follow the list, and write down what they see. */
import { randomUUID } from "node:crypto"
import * as History from "@petstore/store-testkit/History"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Trial } from "./Experiment.ts"
import { Counts } from "./Figures.ts"
import * as Http from "./Http.ts"
import { key } from "./Service.ts"
import * as Wait from "./Wait.ts"

/** Who calls. */
export interface Options {
  /** The ports of the servers; each call goes to the next one. */
  readonly ports: ReadonlyArray<number>
  /** How many add pets: 32 by default. Every second one repeats what failed, with its idempotency key. */
  readonly writers?: number
  /** How many read: 4 by default. Half of them follow the list, a quarter a filtered one, a quarter gets single pets. */
  readonly readers?: number
  /** How long a caller waits after a call, in milliseconds: 20 by default. */
  readonly pauseMillis?: number
}

/** What the callers have seen. */
export interface Load {
  readonly history: Array<History.Entry>
  /** How many answers there were of each status; 0 is a call without an answer, whose pet may or may not be there. */
  readonly statuses: Counts<number>
  /** Waits until calls wait for an answer: whether they do in time. */
  readonly underWay: Effect.Effect<boolean>
  /** Waits for the requests that are under way, and sends no more. */
  readonly stop: Effect.Effect<void>
}

/** The headers of each request. */
export const headers = { authorization: `Bearer ${key}` }

/** Starts callers, which stop with the scope. */
export const make = (options: Options): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { pauseMillis = 20, ports, readers = 4, writers = 32 } = options
    const history: Array<History.Entry> = []
    const statuses = new Counts<number>()
    const batch = randomUUID().slice(0, 8)
    let underWay = 0
    let names = 0
    let turn = 0
    const nextPort = () => ports[turn++ % ports.length] ?? 0

    const caller = (call: () => Promise<number>) => async () => {
      underWay += 1
      const status = await call()
      underWay -= 1
      statuses.add(status)
      await Wait.pause(pauseMillis)
    }
    const writer = (isRepeating: boolean) => {
      let again: { readonly sent: History.SentPet; readonly key: string } | undefined
      return async () => {
        const name = `Pet ${batch} ${++names}`
        const status = statusOf[names % 4]
        const one = again ?? {
          sent: { name, categoryId: names, ...(status && { status }) },
          key: randomUUID()
        }
        const entry = await add(nextPort(), one.sent, isRepeating ? one.key : undefined)
        history.push(entry)
        again = isRepeating && entry.status !== 201 ? one : undefined
        return entry.status
      }
    }
    const stop = yield* repeated([
      ...Array.from({ length: writers }, (_, nth) => caller(writer(nth % 2 === 1))),
      ...Array.from({ length: readers }, (_, nth) => {
        const read =
          nth % 4 === 3 ? getter(history) : follower(nth % 4 === 2 ? { status: "sold" } : {})
        return caller(async () => {
          const entry = await read(nextPort())
          if (typeof entry === "number") return entry
          history.push(entry)
          return 200
        })
      })
    ])
    return { history, statuses, underWay: Wait.holds(() => underWay > 0, 5000), stop }
  })

/** Calls these again and again. The effect that it returns waits for those that are under way, and then calls no more. */
export const repeated = (
  calls: ReadonlyArray<() => Promise<void>>
): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isOver = false
    const fibers = yield* Effect.forEach(calls, (call) =>
      Effect.promise(call).pipe(Effect.repeat({ until: () => isOver }), Effect.forkScoped)
    )
    return Effect.suspend(() => {
      isOver = true
      return Fiber.joinAll(fibers)
    })
  })

const statusOf = [undefined, "available", "pending", "sold"]

/** Sends a request with the key, unless it has another. Without an answer the status is 0. */
const ask = (port: number, request: Http.Request): Promise<Http.Response> =>
  Http.send(port, { ...request, headers: { ...headers, ...request.headers } }).catch(() => ({
    ...{ status: 0, headers: {}, body: Buffer.alloc(0) }
  }))

/** Gets what is at this path. */
export const get = (
  port: number,
  path: string,
  headers?: Readonly<Record<string, string>>
): Promise<Http.Response> => ask(port, { method: "GET", path, ...(headers && { headers }) })

/** Adds a pet. */
export const add = async (
  port: number,
  sent: History.SentPet,
  idempotencyKey?: string
): Promise<History.Create> => {
  const begin = performance.now()
  const key = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }
  const { body, status } = await ask(port, {
    method: "POST",
    path: "/v1/pets",
    headers: { "content-type": "application/json", ...key },
    body: JSON.stringify(sent)
  })
  const pet = status === 201 ? { pet: JSON.parse(body.toString()) } : {}
  return { kind: "create", sent, status, ...pet, begin, end: performance.now() }
}

/** Reads pets. Gives a status if they could not be read. */
type Read = (port: number) => Promise<History.List | number>

/** Reads one page after another, and stays at the last one. */
export const follower = (filters: Readonly<Record<string, string>> = {}): Read => {
  const limit = 100
  let path = `/v1/pets?${new URLSearchParams({ ...filters, limit: `${limit}` })}`
  let after = 0
  return async (port) => {
    const begin = performance.now()
    const { body, headers, status } = await get(port, path)
    if (status !== 200) return status
    const pets: ReadonlyArray<History.SeenPet> = JSON.parse(body.toString())
    const next = /^<([^>]+)>; *rel="next"/.exec(String(headers["link"]))?.[1]
    const page = { after, limit, filters, pets, isLast: next === undefined }
    if (next !== undefined) {
      path = next
      after = pets.at(-1)?.id ?? after
    }
    return { kind: "list", ...page, begin, end: performance.now() }
  }
}

/** Gets the pet that was acknowledged last. */
const getter =
  (history: ReadonlyArray<History.Entry>): Read =>
  async (port) => {
    const last = history.findLast((entry) => entry.kind === "create" && entry.pet !== undefined)
    const id = (last?.kind === "create" && last.pet?.id) || 1
    const begin = performance.now()
    const { body, status } = await get(port, `/v1/pets/${id}`)
    if (status !== 200 && status !== 404) return status
    const pets = status === 200 ? [JSON.parse(body.toString())] : []
    const page = { after: id - 1, upTo: id, isLast: true, pets }
    return { kind: "list", ...page, begin, end: performance.now() }
  }

/** Reads everything, from the first page to the last. Dies if a page cannot be read for a minute. */
export const catalogue = (port: number): Effect.Effect<ReadonlyArray<History.List>> =>
  Effect.promise(async () => {
    const lists: Array<History.List> = []
    const deadline = performance.now() + 60_000
    for (const read = follower(); lists.at(-1)?.isLast !== true; ) {
      const list = await read(port)
      if (typeof list !== "number") lists.push(list)
      else if (performance.now() > deadline) throw new Error(`a list was answered with ${list}`)
      else await Wait.pause(20)
    }
    return lists
  })

/** What callers have seen: of a load, or of others. */
export type Seen = Partial<Load> & Pick<Load, "history">

/**
 * Stops a load, and reports the rules that were broken by what its callers have seen, or by what is there in the end. Besides
 * successes and 503, answers may have only these statuses; 0 is none.
 */
export const ended = (
  trial: Trial,
  { history, statuses = new Counts(), stop = Effect.void }: Seen,
  port: number,
  ...allowed: ReadonlyArray<number>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* stop
    if (statuses.size > 0) trial.note({ acknowledged: statuses.of(201) })
    for (const [status, many] of statuses) {
      if (![200, 201, 503, ...allowed].includes(status))
        trial.wrong(`${many} answers had status ${status}`)
    }
    const violations = History.check([...history, ...(yield* catalogue(port))])
    const byRule = Arr.groupBy(violations, ({ rule }) => rule)
    for (const [rule, [first, ...others]] of Object.entries(byRule))
      trial.wrong(`${rule}: not so ${1 + others.length} times, such as ${first.message}`)
  })

/** Whether this many pets are added in time whose requests begin from now on; answers to earlier ones may still be under way. */
export const untilAdded = (
  { history }: Load,
  many: number,
  millis = 180_000
): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const [first, now] = [history.length, performance.now()]
    const added = () =>
      history
        .slice(first)
        .filter((entry) => entry.kind === "create" && entry.status === 201 && entry.begin >= now)
    return Wait.holds(() => added().length >= many, millis)
  })
