/** Callers that add pets and follow the list, and write down what they see. */
import { randomUUID } from "node:crypto"
import * as History from "@petstore/store-testkit/History"
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
  /** How many follow the list: 4 by default. */
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
    let isOver = false
    let names = 0
    let turn = 0
    let lap = newLap()
    const nextPort = () => ports[turn++ % ports.length] ?? 0

    const caller = (kind: keyof typeof failed, call: () => Promise<number>) =>
      Effect.promise(async () => {
        const began = performance.now()
        const status = await call()
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
      ...Array.from({ length: readers }, () => {
        const read = follower()
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

/** Adds a pet. Without an answer the status is 0. */
export const add = async (
  port: number,
  sent: History.SentPet,
  idempotencyKey?: string
): Promise<History.Create> => {
  const begin = performance.now()
  const of = (status: number, pet?: History.SeenPet): History.Create => ({
    kind: "create",
    sent,
    status,
    ...(pet && { pet }),
    begin,
    end: performance.now()
  })
  try {
    const { body, status } = await Http.send(port, {
      method: "POST",
      path: "/v1/pets",
      headers: {
        ...headers,
        "content-type": "application/json",
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey })
      },
      body: JSON.stringify(sent)
    })
    return of(status, status === 201 ? JSON.parse(body.toString()) : undefined)
  } catch {
    return of(0)
  }
}

/** Reads one page after another, and stays at the last one. Gives a status if a page could not be read. */
export const follower = (limit = 100): ((port: number) => Promise<History.List | number>) => {
  const first = `/v1/pets?limit=${limit}`
  let path = first
  let after = 0
  return async (port) => {
    const begin = performance.now()
    try {
      const {
        body,
        headers: answered,
        status
      } = await Http.send(port, {
        method: "GET",
        path,
        headers
      })
      if (status !== 200) return status
      const pets: ReadonlyArray<History.SeenPet> = JSON.parse(body.toString())
      const next = /^<([^>]+)>; *rel="next"/.exec(String(answered["link"]))?.[1]
      const isLast = next === undefined
      const list = { after, limit, pets, isLast, begin, end: performance.now() }
      if (next !== undefined) {
        path = next
        after = pets.at(-1)?.id ?? after
      }
      return { kind: "list", ...list }
    } catch {
      return 0
    }
  }
}

/** Reads everything, from the first page to the last. Dies if a page cannot be read. */
export const catalogue = (port: number): Effect.Effect<ReadonlyArray<History.List>> =>
  Effect.promise(async () => {
    const lists: Array<History.List> = []
    for (const read = follower(); lists.at(-1)?.isLast !== true; ) {
      const list = await read(port)
      if (typeof list === "number") throw new Error(`a list was answered with ${list}`)
      lists.push(list)
    }
    return lists
  })

/** Checks a history and what is there in the end: one sentence for each rule that was broken. */
export const judge = (
  history: ReadonlyArray<History.Entry>,
  port: number
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(catalogue(port), (lists) => check([...history, ...lists]))

/** Checks a history: one sentence for each rule that was broken. */
export const check = (history: Iterable<History.Entry>): ReadonlyArray<string> =>
  sentencesOf(History.check(history))

/** Whether this many more pets are added in a minute. */
export const untilAdded = (load: Load, many: number): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const enough = load.acknowledged() + many
    return Effect.void.pipe(
      Effect.delay("10 millis"),
      Effect.repeat({ until: () => load.acknowledged() >= enough }),
      Effect.timeoutTo({ duration: "60 seconds", onSuccess: () => true, onTimeout: () => false })
    )
  })

/** One sentence for each rule that was broken. */
export const sentencesOf = (
  violations: ReadonlyArray<History.Violation>
): ReadonlyArray<string> => {
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
