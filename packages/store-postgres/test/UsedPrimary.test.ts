import { randomUUID } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import type { Seen } from "../src/internal/PrimaryChoice.ts"
import * as UsedPrimary from "../src/internal/UsedPrimary.ts"
import { mayAppear } from "../src/NoPrimary.ts"

interface Host {
  readonly name: string
  seen?: Seen | undefined
  failure?: string
}

/** Two hosts of a new cluster, and what is logged after an answer of one of them. */
const setUp = () => {
  const cluster = randomUUID()
  const [a, b]: [Host, Host] = [{ name: "a" }, { name: "b" }]
  let drops = 0
  const used = UsedPrimary.make([a, b], () => void drops++, new Map())
  const answer = (host: Host, timeline?: number, role: Seen["role"] = "primary") => {
    host.failure = "refused"
    host.seen = timeline ? { role, timeline, position: 0, cluster, server: host.name } : undefined
    return used.settle([host])
  }
  return { a, b, answer, ...used, drops: () => drops }
}

const old =
  "a is an old primary (timeline 1, the newest is 2): it gets no connections until it is a standby"

describe("the primary that is used", () => {
  it("moves with a promotion only, and each move and each ignored host is logged", () => {
    const { a, answer, b, drops, found } = setUp()
    a.failure = "refused"
    b.failure = "refused"
    expect(answer(a, 1)).toEqual([
      "b does not answer (refused); if it was promoted, a (timeline 1) is an old primary"
    ])
    expect(answer(b, 1, "standby")).toEqual([])
    expect([found()?.name, drops()]).toEqual(["a", 0])
    expect(answer(b, 2)).toEqual([old, "connections move from a (timeline 1) to b (timeline 2)"])
    expect([found()?.name, drops()]).toEqual(["b", 1])
    expect([answer(a, 1), answer(a), answer(a, 1)]).toEqual([[], [], []])
    expect(answer(a, 1, "standby")).toEqual([])
    expect(answer(a, 1)).toEqual([old])
    expect([found()?.name, drops()]).toEqual(["b", 1])
  })

  it("keeps its connections while it does not answer, and no other one is used", () => {
    const { a, answer, b, drops, found, problem } = setUp()
    answer(a, 1)
    answer(b, 2)
    b.seen = undefined
    expect(found()).toBe(undefined)
    expect([answer(a, 1), found()]).toEqual([[], undefined])
    const silent = `no host can be used: ${old}, b does not answer (refused)`
    expect(answer(b)).toEqual([silent])
    expect(problem()).toMatchObject({ message: silent, mayAppear: true })
    expect(answer(b)).toEqual([])
    expect(answer(b, 2)).toEqual(["connections go to b (timeline 2) again"])
    expect([found()?.name, drops()]).toEqual(["b", 1])
  })

  it("loses its connections when another primary of the same timeline answers", () => {
    const { a, answer, b, drops, found } = setUp()
    answer(a, 1)
    const messages = answer(b, 1)
    expect(messages).toHaveLength(3)
    expect(messages.at(-1)).toMatch(/^connections to a \(timeline 1\) are closed: no host can be/)
    expect([found(), drops(), answer(b, 1), drops()]).toEqual([undefined, 1, [], 1])
    expect(answer(b)).toEqual(["connections go to a (timeline 1) again"])
    expect(found()?.name).toBe("a")
  })

  it("loses its connections, too, when it is no longer the primary after it was silent", () => {
    const { a, answer, drops, found } = setUp()
    answer(a, 1)
    answer(a)
    expect([found(), drops()]).toEqual([undefined, 0])
    expect(answer(a, 1, "standby")).toEqual([
      expect.stringMatching(/^connections to a \(timeline 1\) are closed: /)
    ])
    expect(drops()).toBe(1)
    expect(answer(a, 2)).toEqual(["connections move from a (timeline 1) to a (timeline 2)"])
    expect([found()?.name, drops()]).toEqual(["a", 2])
  })

  it("stays at the address that is used, and is named with the number of its timeline", () => {
    const role = { role: "primary", server: "one", position: 0 } as const
    const seen = { ...role, timeline: 26, cluster: randomUUID() }
    const [a, b]: [Host, Host] = [
      { name: "a", failure: "refused" },
      { name: "b", seen }
    ]
    const { found, settle } = UsedPrimary.make([a, b], () => expect.unreachable(), new Map())
    expect(settle([a, b])).toEqual([
      "a does not answer (refused); if it was promoted, b (timeline 26) is an old primary"
    ])
    a.seen = seen
    expect([settle([a]), found()?.name]).toEqual([[], "b"])
  })

  it("is not suspected if hosts are not asked for their roles", () => {
    const seen = { role: "unknown", timeline: 0, position: 0, server: "" } as const
    const [a, b]: [Host, Host] = [
      { name: "a", seen: { ...seen, cluster: randomUUID() } },
      { name: "b" }
    ]
    const { found, settle } = UsedPrimary.make([a, b], () => expect.unreachable(), new Map())
    expect([settle([a, b]), found()?.name]).toEqual([[], "a"])
  })

  it("is reported once for all that a process opens", () => {
    const hosts = [1, 2].map((number) => {
      const seen = { role: "primary", position: 0, cluster: "told", server: `${number}` } as const
      return { name: `told ${number}`, seen: { ...seen, timeline: number } }
    })
    const told = [1, 2].map(() => UsedPrimary.make(hosts, () => {}).settle(hosts).length)
    expect(told).toEqual([1, 0])
  })

  it("is none of another cluster, and none at all of two that answer at first", () => {
    const other = {
      role: "primary",
      timeline: 1,
      position: 0,
      cluster: "8",
      server: "b"
    } as const
    const one = setUp()
    one.answer(one.a, 1)
    one.b.seen = other
    expect(one.settle([one.b])).toEqual([expect.stringMatching(/^b belongs to another cluster /)])
    expect([one.isMixed(), one.found()?.name]).toEqual([false, "a"])
    const two = setUp()
    two.b.seen = other
    two.answer(two.a, 1)
    expect([two.isMixed(), two.found()]).toEqual([true, undefined])
    expect(two.problem().message).toMatch(/^the hosts belong to different clusters: a has .* 8$/)
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

const standby: Seen = {
  role: "standby",
  timeline: 1,
  position: 0,
  cluster: "cluster",
  server: "server"
}
const silent = { name: "b", failure: "refused" }

it.each([
  ["is away", true, [{ ...silent, isAway: true }]],
  ["refuses the password", false, [silent]],
  ["is a standby", true, [{ name: "a", seen: standby }, silent]]
] as const)("says whether a host that %s may become the primary: %s", (_, expected, hosts) => {
  const used = UsedPrimary.make(hosts, () => {}, new Map())
  used.settle(hosts)
  expect(mayAppear(PostgresFailure.from(used.problem()))).toBe(expected)
})
