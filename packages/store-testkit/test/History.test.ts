import * as History from "@petstore/store-testkit/History"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const ann = { id: 1, name: "Ann", status: "sold" }
const bob = { id: 2, name: "Bob", status: "available" }
const eve = { id: 3, name: "Eve", status: "sold" }

const long = { id: 2, name: "🐾".repeat(65_536) }

/** A pet was added between two times. */
const add = (pet: History.SeenPet, begin: number, end: number): History.Create => {
  const { id: _, ...sent } = pet
  return { kind: "create", sent, status: 201, pet, begin, end }
}

/** No answer came, or an error. */
const failed = ({ id: _, ...sent }: History.SeenPet, status: number): History.Create => ({
  kind: "create",
  sent,
  status,
  begin: 0,
  end: 1
})

/** All pets were read between two times. */
const list = (
  pets: ReadonlyArray<History.SeenPet>,
  begin: number,
  end: number,
  page: Partial<History.List> = {}
): History.List => ({ kind: "list", after: 0, isLast: true, pets, begin, end, ...page })

const use = (status: number, begin: number): History.Use => ({
  kind: "use",
  key: "k",
  status,
  begin,
  end: begin + 1
})
const revocation: History.Revocation = { kind: "revocation", key: "k", deadline: 5 }

const rulesOf = (history: ReadonlyArray<History.Entry>) =>
  History.check(history).map(({ rule }) => rule)

it.each<[string, ReadonlyArray<History.Entry>]>([
  ["nothing happened", []],
  ["pets are there as soon as they are acknowledged", [add(ann, 1, 2), list([ann], 3, 4)]],
  ["a list began before the answer", [add(ann, 1, 3), list([], 2, 4)]],
  ["a pet is there before its answer", [add(ann, 1, 5), list([ann], 2, 3)]],
  ["a pet without an answer is there", [failed(ann, 0), list([ann], 3, 4)]],
  ["a pet without an answer is not there", [failed(ann, 0), list([], 3, 4)]],
  ["a refused pet was sent again", [failed(ann, 429), add(ann, 2, 3), list([ann], 4, 5)]],
  ["a repeat is the same pet", [add(ann, 1, 2), add(ann, 1, 3), list([ann], 4, 5)]],
  ["a page ends", [add(ann, 1, 2), add(bob, 1, 2), list([ann], 3, 4, { isLast: false })]],
  [
    "a page ends at its limit",
    [add(ann, 1, 2), add(bob, 1, 2), list([ann], 3, 4, { isLast: false, limit: 1 })]
  ],
  ["the last page is not full", [add(ann, 1, 2), list([ann], 3, 4, { limit: 2 })]],
  [
    "a page ends at its size",
    [add(long, 1, 2), add(eve, 1, 2), list([long], 3, 4, { isLast: false, limit: 2 })]
  ],
  ["a page begins later", [add(ann, 1, 2), add(bob, 1, 2), list([bob], 3, 4, { after: 1 })]],
  ["a pet is read alone", [add(bob, 1, 2), list([bob], 3, 4, { after: 1, upTo: 2 })]],
  ["a pet is not there yet", [add(bob, 1, 3), list([], 2, 4, { after: 1, upTo: 2 })]],
  [
    "lists are filtered",
    [
      add(ann, 1, 2),
      add(bob, 1, 2),
      add(eve, 1, 2),
      list([ann, eve], 3, 4, { filters: { status: "sold" } })
    ]
  ],
  [
    "fields have another order",
    [add(ann, 1, 2), list([{ status: "sold", name: "Ann", id: 1 }], 3, 4)]
  ],
  ["a key was used before its deadline", [revocation, use(200, 5)]],
  ["a revoked key was refused", [revocation, use(401, 6)]]
])("accepts that %s", (_, history) => {
  expect(History.check(history)).toEqual([])
})

it.each<[string, ReadonlyArray<History.Entry>, History.Rule]>([
  ["is lost", [add(ann, 1, 2), list([], 3, 4)], "acknowledged pets are in every later list"],
  [
    "is lost before others",
    [add(ann, 1, 2), add(bob, 1, 2), list([bob], 3, 4)],
    "acknowledged pets are in every later list"
  ],
  [
    "is lost from a page",
    [add(bob, 1, 2), add(eve, 1, 2), list([eve], 3, 4, { after: 1, isLast: false })],
    "acknowledged pets are in every later list"
  ],
  [
    "is lost by a filter",
    [
      add(ann, 1, 2),
      add(bob, 1, 2),
      add(eve, 1, 2),
      list([eve], 3, 4, { filters: { status: "sold" } })
    ],
    "acknowledged pets are in every later list"
  ],
  [
    "is not found by its id",
    [add(bob, 1, 2), list([], 3, 4, { after: 1, upTo: 2 })],
    "acknowledged pets are in every later list"
  ],
  [
    "is changed",
    [add(ann, 1, 2), list([{ ...ann, status: "available" }], 3, 4)],
    "pets are as they were sent"
  ],
  [
    "was never sent",
    [add(ann, 1, 2), list([ann, bob], 3, 4)],
    "nothing is there that was not sent"
  ],
  ["was refused", [failed(ann, 400), list([ann], 3, 4)], "what was refused is not there"],
  [
    "is there twice",
    [add(ann, 1, 2), list([ann, { ...ann, id: 2 }], 3, 4)],
    "one create is one pet"
  ],
  [
    "was added again by its repeat",
    [add(ann, 1, 2), add({ ...ann, id: 2 }, 1, 3)],
    "one create is one pet"
  ],
  [
    "is out of order",
    [add(ann, 1, 3), add(bob, 1, 3), list([bob, ann], 2, 4)],
    "lists are in the order of ids"
  ],
  [
    "is before the beginning of its page",
    [add(ann, 1, 3), list([ann], 2, 4, { after: 1 })],
    "lists are in the order of ids"
  ],
  [
    "is missing at the end of a page that others follow",
    [add(ann, 1, 2), list([ann], 3, 4, { isLast: false, limit: 2 })],
    "a page is full unless it is the last"
  ],
  [
    "is on a page that was full",
    [add(ann, 1, 2), add(bob, 1, 2), list([ann, bob], 3, 4, { limit: 1 })],
    "a page is full unless it is the last"
  ],
  [
    "is on a page that was large enough",
    [add(long, 1, 2), add(eve, 1, 2), list([long, eve], 3, 4, { limit: 3 })],
    "a page is full unless it is the last"
  ],
  [
    "appears after a later one",
    [add(ann, 1, 9), add(bob, 1, 9), list([bob], 2, 3), list([ann, bob], 4, 5)],
    "ids become visible in order"
  ]
])("finds that a pet %s", (_, history, rule) => {
  expect(rulesOf(history)).toEqual([rule])
})

it("finds that a key works after its deadline", () => {
  expect(rulesOf([use(200, 6), revocation])).toEqual(["a revoked key is refused"])
})

/** A server that takes several steps for each call, and what it does wrong. */
type Fault =
  | "none"
  | "loses pets"
  | "is stale"
  | "commits ids out of order"
  | "repeats creates"
  | "changes pets"

/** The history of calls whose steps are interleaved in this order. */
const simulate = (fault: Fault, order: ReadonlyArray<number>) => {
  let pets: ReadonlyArray<History.SeenPet> = []
  const past = [pets]
  const history: Array<History.Entry> = []
  let now = 0
  let ids = 0
  const commit = (...added: ReadonlyArray<History.SeenPet>) => {
    pets = [...pets, ...added].sort((a, b) => a.id - b.id)
    past.push(pets)
  }
  const create = function* (nth: number) {
    const begin = now
    const sent = { name: `Pet ${nth}`, status: "sold" }
    const early = fault === "commits ids out of order" ? ++ids : 0
    yield
    const pet = { id: early || ++ids, ...sent }
    if (fault !== "loses pets" || nth % 4 !== 0) {
      commit(fault === "changes pets" && nth % 4 === 0 ? { ...pet, status: "available" } : pet)
    }
    if (fault === "repeats creates" && nth % 4 === 0) commit({ ...pet, id: ++ids })
    yield
    history.push({ kind: "create", sent, status: 201, pet, begin, end: now })
  }
  const read = function* () {
    const begin = now
    yield
    const seen = (fault === "is stale" ? past.at(-4) : pets) ?? []
    yield
    history.push(list(seen, begin, now))
  }
  const running: Array<Generator<undefined, void>> = []
  order.forEach((pick, nth) => {
    if (running.length < 4) running.push(nth % 2 === 0 ? create(nth) : read())
    const one = running[pick % running.length]
    now += 1
    if (one?.next().done === true) running.splice(running.indexOf(one), 1)
  })
  for (const one of running) for (const _ of one) now += 1
  now += 1
  history.push(list(fault === "is stale" ? (past.at(-4) ?? []) : pets, now, now + 1))
  return history
}

describe("a simulated server", () => {
  const orders = fc.array(fc.nat(3), { minLength: 60, maxLength: 200 })

  it("has a right history in every order of its steps", () => {
    fc.assert(fc.property(orders, (order) => History.check(simulate("none", order)).length === 0))
  })

  it.each<[Fault, History.Rule]>([
    ["loses pets", "acknowledged pets are in every later list"],
    ["is stale", "acknowledged pets are in every later list"],
    ["commits ids out of order", "ids become visible in order"],
    ["repeats creates", "one create is one pet"],
    ["changes pets", "pets are as they were sent"]
  ])("that %s is found", (fault, rule) => {
    const histories = fc
      .sample(orders, { numRuns: 50, seed: 1 })
      .map((order) => simulate(fault, order))
    const found = histories.filter((history) => rulesOf(history).includes(rule))
    expect(found.length).toBeGreaterThan(20)
  })
})
