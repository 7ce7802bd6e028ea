/** Callers that add pets and follow the list, and write down what they see. */
import { randomUUID } from "node:crypto"
import * as History from "@petstore/store-testkit/History"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Http from "./Http.ts"
import { key } from "./Service.ts"

/** Who calls. */
export interface Options {
  /** The ports of the servers; each call goes to the next one. */
  readonly ports: ReadonlyArray<number>
  /** How many add pets: 32 by default. Every second one repeats what failed, with its idempotency key. */
  readonly writers?: number
  /** How many read: 4 by default. Half of them follow the list, a quarter a filtered one, a quarter gets single pets. */
  readonly readers?: number
  /** How long a caller waits after a success, in milliseconds: 20 by default. */
  readonly pauseMillis?: number
}

/** The longest answer, and for each kind of request the longest time without a success, in milliseconds. */
export interface Lap {
  longest: number
  readonly adds: { last: number; gap: number }
  readonly lists: { last: number; gap: number }
}

/** What the callers have seen. */
export interface Load {
  readonly history: Array<History.Entry>
  /** How many pets were acknowledged. */
  readonly acknowledged: () => number
  /** How many adds and lists failed. A pet whose add failed may or may not be there. */
  readonly failed: { adds: number; lists: number }
  /** How many answers there were of each status; 0 is a call without an answer. */
  readonly statuses: Map<number, number>
  /** How many calls wait for an answer now. */
  readonly underWay: () => number
  /** The times since the last lap, which it forgets. */
  readonly lap: () => Lap
  /** Waits for the requests that are under way, and sends no more. */
  readonly stop: Effect.Effect<void>
}

const retryMillis = 20

/** The headers of each request. */
export const headers = { authorization: `Bearer ${key}` }

/** Starts callers, which stop with the scope. */
export const make = ({
  pauseMillis = 20,
  ports,
  readers = 4,
  writers = 32
}: Options): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.gen(function* () {
    const history: Array<History.Entry> = []
    const failed = { adds: 0, lists: 0 }
    const statuses = new Map<number, number>()
    const batch = randomUUID().slice(0, 8)
    let acknowledged = 0
    let underWay = 0
    let isOver = false
    let names = 0
    let turn = 0
    let lap = newLap()
    const nextPort = () => ports[turn++ % ports.length] ?? 0

    const caller = (kind: keyof typeof failed, call: () => Promise<number>) =>
      Effect.promise(async () => {
        const began = performance.now()
        underWay += 1
        const status = await call()
        underWay -= 1
        const now = performance.now()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        lap.longest = Math.max(lap.longest, now - began)
        const isSuccess = status >= 200 && status < 300
        if (isSuccess) {
          lap[kind].gap = Math.max(lap[kind].gap, now - lap[kind].last)
          lap[kind].last = now
          if (kind === "adds") acknowledged += 1
        } else failed[kind] += 1
        return isSuccess ? pauseMillis : retryMillis
      }).pipe(
        Effect.tap((millis) => Effect.sleep(millis)),
        Effect.repeat({ until: () => isOver }),
        Effect.forkScoped
      )
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
    const fibers = yield* Effect.all([
      ...Array.from({ length: writers }, (_, nth) => caller("adds", writer(nth % 2 === 1))),
      ...Array.from({ length: readers }, (_, nth) => {
        const read =
          nth % 4 === 3 ? getter(history) : follower(100, nth % 4 === 2 ? { status: "sold" } : {})
        return caller("lists", async () => {
          const entry = await read(nextPort())
          if (typeof entry === "number") return entry
          history.push(entry)
          return 200
        })
      })
    ])
    return {
      history,
      acknowledged: () => acknowledged,
      failed,
      statuses,
      underWay: () => underWay,
      lap: () => {
        const ended = lap
        lap = newLap()
        return ended
      },
      stop: Effect.suspend(() => {
        isOver = true
        return Fiber.joinAll(fibers)
      })
    }
  })

const statusOf = [undefined, "available", "pending", "sold"]

const newLap = (): Lap => {
  const last = performance.now()
  return { longest: 0, adds: { last, gap: 0 }, lists: { last, gap: 0 } }
}

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
export const follower = (limit = 100, filters: Readonly<Record<string, string>> = {}): Read => {
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
      else await new Promise((resolve) => setTimeout(resolve, retryMillis))
    }
    return lists
  })

/**
 * Checks what callers have seen, and what is there in the end: one sentence for each rule that was broken. Besides successes
 * and 503, answers may have only these statuses; 0 is none.
 */
export const judge = (
  load: Pick<Load, "history"> & Partial<Pick<Load, "statuses">>,
  port: number,
  ...allowed: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(catalogue(port), (lists) => [
    ...unexpected(load, ...allowed),
    ...check([...load.history, ...lists])
  ])

/** One sentence for each other status that answers had. */
export const unexpected = (
  { statuses = new Map() }: Partial<Pick<Load, "statuses">>,
  ...allowed: ReadonlyArray<number>
): ReadonlyArray<string> =>
  [...statuses]
    .filter(([status]) => ![200, 201, 503, ...allowed].includes(status))
    .map(([status, many]) => `${many} answers had status ${status}`)

/** Checks a history: one sentence for each rule that was broken. */
export const check = (history: Iterable<History.Entry>): ReadonlyArray<string> =>
  sentencesOf(History.check(history))

/** Whether this many pets are added in time whose requests begin from now on; answers to earlier ones may still be under way. */
export const untilAdded = (
  { history }: Load,
  many: number,
  duration: Duration.DurationInput = "3 minutes"
): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const [first, now] = [history.length, performance.now()]
    const added = () =>
      history
        .slice(first)
        .filter((entry) => entry.kind === "create" && entry.status === 201 && entry.begin >= now)
    return Effect.void.pipe(
      Effect.delay("10 millis"),
      Effect.repeat({ until: () => added().length >= many }),
      Effect.timeoutTo({ duration, onSuccess: () => true, onTimeout: () => false })
    )
  })

/** Waits until a call is under way, so that a fault hits it: whether there is one in time. */
export const untilBusy = ({ underWay }: Load): Effect.Effect<boolean> =>
  Effect.void.pipe(
    Effect.delay("1 millis"),
    Effect.repeat({ until: () => underWay() > 0 }),
    Effect.timeoutTo({ duration: "1 minute", onSuccess: () => true, onTimeout: () => false })
  )

/** One sentence for each rule that was broken. */
const sentencesOf = (violations: ReadonlyArray<History.Violation>): ReadonlyArray<string> => {
  const byRule = new Map<History.Rule, Array<string>>()
  for (const { message, rule } of violations) {
    const messages = byRule.get(rule)
    if (messages === undefined) byRule.set(rule, [message])
    else messages.push(message)
  }
  return [...byRule].map(
    ([rule, messages]) => `${rule}: not so ${messages.length} times, such as ${messages[0]}`
  )
}
