import { randomUUID } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import * as Primary from "../src/internal/Primary.ts"
import { mayAppear } from "../src/NoPrimary.ts"

interface Answer {
  readonly timeline?: number
  readonly isStandby?: boolean
  readonly cluster?: string
}
/** What each host answers; one without an answer refuses. */
type Answers = Readonly<Record<string, Answer>>

/** A process that sees what hosts of a new cluster answer, one moment after the other. */
const setUp = (names: ReadonlyArray<string> = ["a", "b"], id: string = randomUUID()) => {
  const hosts = names.map((name): Primary.Host => ({ name }))
  let drops = 0
  const primary = Primary.make(hosts, () => void drops++)
  const log = (answers: Answers) => {
    for (const host of hosts) {
      const { cluster = id, isStandby = false, timeline = 1 } = answers[host.name] ?? {}
      const seen = { isStandby, timeline, cluster }
      Object.assign(host, answers[host.name] ? { seen } : { seen: undefined, failure: "refused" })
    }
    return primary.settle()
  }
  /** The primary, and what is said of all hosts. */
  const see = (answers: Answers) => {
    log(answers)
    return [primary.found()?.name, ...hosts.map((host) => primary.stateOf(host).text)]
  }
  return { ...primary, hosts, log, see, drops: () => drops }
}

const standby = { isStandby: true }
const silent = (name: string) => `${name} does not answer (refused)`
const old = (name: string) =>
  `${name} is an old primary (timeline 1, the newest is 2): it gets no connections until it is a standby`

describe("the primary", () => {
  it("is the one of the newest timeline, even if that does not answer", () => {
    const { see } = setUp()
    expect(see({ a: {}, b: standby })).toEqual(["a", "a is the primary", "b is a standby"])
    expect(see({ b: { timeline: 2 } })).toEqual(["b", silent("a"), "b is the primary"])
    expect(see({ a: {}, b: { timeline: 2 } })).toEqual(["b", old("a"), "b is the primary"])
    expect(see({ a: {} })).toEqual([undefined, old("a"), silent("b")])
    expect(see({})).toEqual([undefined, silent("a"), silent("b")])
    expect(see({ b: { timeline: 2 } })).toEqual(["b", silent("a"), "b is the primary"])
    expect(see({ a: { timeline: 16 }, b: { timeline: 2 } })[0]).toBe("a")
    // As when a standby has followed a newer primary.
    expect(see({ a: { timeline: 16 }, b: { timeline: 17, ...standby } })[0]).toBe(undefined)
  })

  it("is of the newest timeline that its process has seen", () => {
    const id = randomUUID()
    setUp(["a", "b"], id).see({ a: {}, b: { timeline: 2 } })
    expect(setUp(["a", "b"], id).see({ a: {} })).toEqual([undefined, old("a"), silent("b")])
    expect(setUp().see({ a: {} })[0]).toBe("a")
  })

  it("is none of two of the same timeline, and the one that was used once it is alone", () => {
    const { see } = setUp()
    const [a, b] = [{ timeline: 2 }, { timeline: 2 }]
    const rival = (name: string) =>
      `${name} is another primary of timeline 2, or the same by another name: it gets no connections; keep one, and restart the service`
    expect(see({ a, b })).toEqual([undefined, rival("a"), rival("b")])
    expect(see({ b })[0]).toBe("b")
    expect(see({ a, b })).toEqual([undefined, rival("a"), rival("b")])
    expect(see({ a })).toEqual([undefined, rival("a"), silent("b")])
    expect(see({ b })[0]).toBe("b")
  })

  it("is not one of another cluster, and none at all of two that answer at first", () => {
    const { drops, see } = setUp(["a", "b"], "7")
    const other = { cluster: "8", timeline: 5 }
    expect(see({ a: {} })[0]).toBe("a")
    const ignored = (name: string, cluster: string) =>
      `${name} belongs to another cluster (system identifier ${cluster}): it gets no connections`
    expect(see({ a: {}, b: other })).toEqual(["a", "a is the primary", ignored("b", "8")])
    expect(see({ b: other })).toEqual([undefined, silent("a"), ignored("b", "8")])
    expect(drops()).toBe(0)
    const mixed = setUp(["a", "b"], "7")
    expect(mixed.see({ a: {}, b: other })).toEqual([
      undefined,
      ignored("a", "7"),
      ignored("b", "8")
    ])
  })

  it("never has an older timeline than any host before, nor another server of the same one", () => {
    const answer = FastCheck.record({
      timeline: FastCheck.integer({ min: 1, max: 4 }),
      isStandby: FastCheck.boolean()
    })
    const moment = FastCheck.record({ a: answer, b: answer, c: answer }, { requiredKeys: [] })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(moment, { maxLength: 12 }), (moments) => {
        const { found, see } = setUp(["a", "b", "c"])
        const used = new Map<number, string>()
        let newest = 0
        for (const answers of moments) {
          see(answers)
          newest = Math.max(newest, ...Object.values(answers).map(({ timeline }) => timeline))
          const primary = found()
          if (primary === undefined) continue
          expect(primary.seen).toMatchObject({ isStandby: false, timeline: newest })
          expect(used.get(newest) ?? primary.name).toBe(primary.name)
          used.set(newest, primary.name)
        }
      })
    )
  })
})

describe("connections", () => {
  it("move with a promotion only, and each move and each ignored host is logged once", () => {
    const [a, b] = [randomUUID(), randomUUID()]
    const { drops, log } = setUp([a, b])
    expect(log({ [a]: {} })).toEqual([silent(b)])
    expect(log({ [a]: {}, [b]: standby })).toEqual([])
    expect(drops()).toBe(0)
    const both = { [a]: {}, [b]: { timeline: 2 } }
    expect(log(both)).toEqual([old(a), `connections go to ${b} (timeline 2)`])
    expect([log({ [b]: { timeline: 2 } }), log(both), drops()]).toEqual([[], [], 1])
  })

  it("are kept while the primary does not answer, and no other host is used", () => {
    const { drops, found, log, problem } = setUp()
    log({ a: {}, b: { timeline: 2 } })
    const none = `no host can be used: ${old("a")}, ${silent("b")}`
    expect([log({ a: {} }), found()]).toEqual([[none], undefined])
    expect(problem()).toMatchObject({ message: none, mayAppear: true })
    expect(log({ a: {} })).toEqual([])
    expect(log({ b: { timeline: 2 } })).toEqual(["connections go to b (timeline 2)"])
    expect([found()?.name, drops()]).toEqual(["b", 0])
  })

  it("are closed when their host answers that it is wrong", () => {
    const { drops, found, log } = setUp()
    log({ a: {}, b: standby })
    expect(log({ a: {}, b: {} }).at(-1)).toMatch(/^no host can be used: a is another primary of/)
    expect([found(), drops()]).toEqual([undefined, 1])
    expect(log({ a: {} })).toEqual(["connections go to a (timeline 1)"])
    log({})
    expect(drops()).toBe(1)
    log({ a: standby })
    expect(drops()).toBe(2)
    expect(log({ a: { timeline: 2 } })).toEqual(["connections go to a (timeline 2)"])
  })
})

const failure = (code: string, message = "no") => Object.assign(new Error(message), { code })

it.each([
  [true, failure("ECONNREFUSED")],
  [true, failure("EAI_AGAIN")],
  [true, failure("ENOTFOUND")],
  [true, failure("EHOSTUNREACH")],
  [true, failure("ENETUNREACH")],
  [true, failure("ETIMEDOUT")],
  [true, failure("57P03", "the database system is starting up")],
  [true, new Error("timeout exceeded when trying to connect")],
  [true, new Error("Connection terminated unexpectedly")],
  [false, failure("28P01", "password authentication failed")],
  [false, failure("3D000", 'database "ECONNREFUSED" does not exist')]
])("says whether a server may answer later: %s for %s", (expected, cause) => {
  expect(mayAppear(PostgresFailure.from(cause))).toBe(expected)
})
