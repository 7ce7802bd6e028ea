import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as PrimaryChoice from "../src/internal/PrimaryChoice.ts"

interface Answer {
  readonly timeline?: number
  readonly role?: "primary" | "standby"
  readonly cluster?: string
  readonly server?: string
}

/** A host that answers this, or does not answer. */
const host = (name: string, answer?: Answer): PrimaryChoice.Host => {
  if (answer === undefined) return { name, failure: "refused" }
  const { cluster = "7", role = "primary", server = name, timeline = 1 } = answer
  return { name, seen: { role, timeline, position: 0, cluster, server } }
}

type Answers = Readonly<Record<string, Answer>>

/** A process that sees these answers of a and b, one after the other: the primary, and what is said of both. */
const process = (memory: PrimaryChoice.Memory = new Map()) => {
  const choose = PrimaryChoice.make(memory)
  return (answers: Answers) => {
    const hosts = ["a", "b"].map((name) => host(name, answers[name]))
    const { primary, stateOf } = choose(hosts)
    return [primary?.name, ...hosts.map((host) => stateOf(host).text)]
  }
}

const standby = { role: "standby" } as const
const silent = (name: string) => `${name} does not answer (refused)`
const old = (name: string) =>
  `${name} is an old primary (timeline 1, the newest is 2): it gets no connections until it is a standby`

describe("the primary", () => {
  it("is the one of the newest timeline, also while that does not answer", () => {
    const see = process()
    const primary = { a: {}, b: standby }
    expect(see(primary)).toEqual(["a", "a is the primary", "b is a standby"])
    expect(see({ b: { timeline: 2 } })).toEqual(["b", silent("a"), "b is the primary"])
    expect(see({ a: {}, b: { timeline: 2 } })).toEqual(["b", old("a"), "b is the primary"])
    expect(see({ a: {} })).toEqual([undefined, old("a"), silent("b")])
    expect(see({})).toEqual([undefined, silent("a"), silent("b")])
    expect(see({ b: { timeline: 2 } })).toEqual(["b", silent("a"), "b is the primary"])
    expect(see({ a: { timeline: 16 }, b: { timeline: 2 } })[0]).toBe("a")
  })

  it("is none if a standby has a newer timeline", () => {
    expect(process()({ a: {}, b: { timeline: 2, ...standby } })).toEqual([
      undefined,
      old("a"),
      "b is a standby"
    ])
  })

  it("is any host if none is asked for its role, which is then unknown", () => {
    const seen = { role: "unknown", timeline: 0, position: 0, cluster: "", server: "" } as const
    const hosts = ["a", "b"].map((name) => ({ name, seen }))
    const { primary, stateOf } = PrimaryChoice.make(new Map())(hosts)
    expect(primary?.name).toBe("a")
    expect(hosts.map(stateOf).map(({ role, text }) => `${role}: ${text}`)).toEqual([
      "unknown: a is used",
      "unknown: b is not used"
    ])
  })

  it("is known to all of a process", () => {
    const memory: PrimaryChoice.Memory = new Map()
    process(memory)({ a: {}, b: { timeline: 2 } })
    expect(process(memory)({ a: {} })).toEqual([undefined, old("a"), silent("b")])
    expect(process(memory)({ a: { cluster: "8" } })[0]).toBe("a")
    expect(process()({ a: {} })[0]).toBe("a")
  })

  it("is none of two of the same timeline, and the one that was used once it is alone", () => {
    const see = process()
    const both = { a: { timeline: 2 }, b: { timeline: 2 } }
    const rival = (name: string, other: string) =>
      `${name} is a primary of timeline 2, as is ${other}: it gets no connections; stop those that are wrong`
    expect(see(both)).toEqual([undefined, rival("a", "b"), rival("b", "a")])
    expect(see({ b: both.b })[0]).toBe("b")
    expect(see(both)).toEqual([undefined, rival("a", "b"), rival("b", "a")])
    expect(see({ a: both.a })).toEqual([
      undefined,
      "a is a primary of timeline 2, as was b: it gets no connections; restart the service if this one is right",
      silent("b")
    ])
    expect(see({ b: both.b })[0]).toBe("b")
  })

  it("may have several addresses", () => {
    const see = process()
    const [a, b] = [{ server: "one" }, { server: "one" }]
    expect(see({ a, b })).toEqual(["a", "a is the primary", "b is another address of a"])
    expect(see({ b })[0]).toBe("b")
    expect(see({ b: { server: "restarted" } })[0]).toBe("b")
    expect(see({ a: { server: "restarted" } })[0]).toBe("a")
    // An address is known by its name, however often its server restarts.
    expect(see({ b: { server: "restarted again" } })[0]).toBe("b")
    expect(see({ a: { server: "restarted once more" } })[0]).toBe("a")
  })

  it("stays at the address that is used", () => {
    const choose = PrimaryChoice.make(new Map())
    const hosts = ["a", "b"].map((name) => host(name, { server: "one" }))
    expect(choose(hosts, hosts[1]).primary?.name).toBe("b")
  })

  it("is not one of another cluster", () => {
    const see = process()
    const other = { cluster: "8", timeline: 5 }
    expect(see({ a: {} })[0]).toBe("a")
    const ignored =
      "b belongs to another cluster (system identifier 8, not 7): it gets no connections"
    expect(see({ a: {}, b: other })).toEqual(["a", "a is the primary", ignored])
    expect(see({ b: other })).toEqual([undefined, silent("a"), ignored])
    expect(process()({ a: {}, b: other })).toEqual([
      undefined,
      "a has the system identifier 7",
      "b has the system identifier 8"
    ])
  })

  it("never has an older timeline than any host before, nor another server of the same one", () => {
    const answer = FastCheck.record({
      timeline: FastCheck.integer({ min: 1, max: 4 }),
      role: FastCheck.constantFrom<"primary" | "standby">("primary", "standby")
    })
    const moment = FastCheck.record({ a: answer, b: answer, c: answer }, { requiredKeys: [] })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(moment, { maxLength: 12 }), (moments) => {
        const memory: PrimaryChoice.Memory = new Map()
        const used = new Map<number, string>()
        let newest = 0
        for (const answers of moments) {
          const hosts = Object.entries(answers).map(([name, answer]) => host(name, answer))
          const choose = PrimaryChoice.make(memory)
          const { primary } = choose(hosts)
          for (const { seen } of hosts) if (seen && seen.timeline > newest) newest = seen.timeline
          if (primary?.seen === undefined) continue
          expect(primary.seen).toMatchObject({ role: "primary", timeline: newest })
          expect(used.get(newest) ?? primary.name).toBe(primary.name)
          used.set(newest, primary.name)
        }
      })
    )
  })
})
