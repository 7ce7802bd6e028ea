import * as History from "@petstore/store-testkit/History"
import { expect, it } from "vitest"
import * as LegalOrder from "./LegalOrder.ts"

const ann = { id: 1, name: "Ann", status: "sold" }
const bob = { id: 2, name: "Bob", status: "available" }
const eve = { id: 3, name: "Eve", status: "sold" }

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
  ["a pet is there before its answer", [add(ann, 1, 5), list([ann], 2, 3)]],
  ["a pet without an answer is there", [failed(ann, 0), list([ann], 3, 4)]],
  ["a pet without an answer is not there", [failed(ann, 0), list([], 3, 4)]],
  ["a pet whose add failed with 500 is there", [failed(ann, 500), list([ann], 3, 4)]],
  ["a refused pet was sent again", [failed(ann, 429), add(ann, 2, 3), list([ann], 4, 5)]],
  ["a repeat is the same pet", [add(ann, 1, 2), add(ann, 1, 3), list([ann], 4, 5)]],
  ["a page ends", [add(ann, 1, 2), add(bob, 1, 2), list([ann], 3, 4, { isLast: false })]],
  [
    "a page ends with a next one that may just have been sent",
    [add(ann, 1, 2), { ...failed(bob, 0), begin: 4, end: 5 }, list([ann], 3, 4, { isLast: false })]
  ],
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
  ["a revoked key was refused", [revocation, use(401, 6)]],
  [
    "a revoked key was used while the service was unavailable",
    [revocation, use(503, 6), use(500, 6), use(0, 6)]
  ],
  ["a revoked key was used too often", [revocation, use(429, 6)]]
])("accepts that %s", (_, history) => {
  expect(History.check(history)).toEqual([])
})

it.each<[string, ReadonlyArray<History.Entry>, History.Rule]>([
  ["is lost", [add(ann, 1, 2), list([], 3, 4)], "acknowledged pets are in every later list"],
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
    "gives its id to another",
    [add(ann, 1, 2), add({ ...bob, id: 1 }, 3, 4)],
    "an id keeps its pet"
  ],
  ["is missing in its answer", [failed(ann, 201)], "pets are as they were sent"],
  [
    "is in a list of others",
    [add(ann, 1, 2), add(bob, 1, 2), list([ann, bob], 3, 4, { filters: { status: "sold" } })],
    "a filtered list has only what it asks for"
  ],
  [
    "is there before it was sent",
    [list([ann], 1, 2), add(ann, 3, 4)],
    "nothing is there that was not sent"
  ],
  [
    "has a smaller id than one that was there before",
    [add(bob, 1, 2), add(ann, 3, 4)],
    "ids become visible in order"
  ],
  [
    "that does not suit the filter follows a page",
    [
      add(ann, 1, 2),
      failed(bob, 0),
      list([ann], 3, 4, { isLast: false, filters: { status: "sold" } })
    ],
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

it("finds that a key works after its first deadline", () => {
  const later = { ...revocation, deadline: 9 }
  for (const status of [200, 400, 404])
    expect(rulesOf([use(status, 6), revocation, later])).toEqual(["a revoked key is refused"])
})

/** Numbers below a bound, the same in every run. */
type Below = (bound: number) => number

/** The history of a right server: callers take several steps, in any order. */
const simulate = (below: Below) => {
  const pets: Array<History.SeenPet> = []
  const history: Array<History.Create | History.List> = []
  let now = 0
  let ids = 0
  const nextId = () => {
    ids += 1 + below(2)
    return ids
  }
  const create = function* (nth: number) {
    const begin = now
    // Some are sent again.
    const name = `Pet ${below(4) === 0 ? Math.max(0, nth - 2) : nth}`
    const sent = { name, status: ["sold", "available"][Number(name.at(-1)) % 2] }
    const status = [201, 201, 201, 0, 503, 429][below(6)] ?? 0
    yield
    if (
      status !== 429 &&
      (status === 201 || below(2) === 0) &&
      !pets.some((pet) => pet.name === name)
    )
      pets.push({ id: nextId(), ...sent })
    const pet = pets.find((pet) => pet.name === name)
    yield
    history.push({
      kind: "create",
      sent,
      status,
      ...(status === 201 && pet && { pet }),
      begin,
      end: now
    })
  }
  const read = function* () {
    const begin = now
    const after = below(3)
    const page: Partial<History.List> =
      [
        {},
        { limit: 1 + below(3) },
        { limit: 2, filters: { status: "sold" } },
        { filters: { status: "available" } },
        { upTo: after + 1 }
      ][below(5)] ?? {}
    yield
    const { filters = {}, limit = Infinity, upTo = Infinity } = page
    const suiting = pets.filter(
      ({ id, status }) => id > after && id <= upTo && status === (filters["status"] ?? status)
    )
    const seen = suiting.slice(0, limit)
    yield
    const isLast = seen.length === suiting.length
    history.push(list(seen, begin, now, { ...page, after, isLast }))
  }
  const running: Array<Generator<undefined, void>> = []
  for (let nth = 0; nth < 8 || running.length > 0; now++) {
    if (nth < 8 && running.length < 3) running.push(nth++ % 2 === 0 ? create(nth) : read())
    const one = running[below(running.length)]
    if (one?.next().done === true) running.splice(running.indexOf(one), 1)
  }
  return history
}

/** A history in which one thing is not as it was. */
const disturb = (history: ReadonlyArray<History.Create | History.List>, below: Below) => {
  const one = history[below(history.length)]
  const another = history[below(history.length)]
  const nth = below(3)
  const changed = (pets: ReadonlyArray<History.SeenPet>) => [
    pets.filter((_, place) => place !== nth),
    [...pets, ...pets.slice(0, 1)],
    pets.toReversed(),
    pets.map((pet, place) => (place === nth ? { ...pet, id: pet.id + 1 } : pet)),
    pets.map((pet, place) => (place === nth ? { ...pet, status: "sold" } : pet)),
    [...pets, { id: below(9), name: `Pet ${below(9)}`, status: "sold" }]
  ]
  const others = (() => {
    if (one === undefined || another === undefined) return []
    const moved = below(9) - 4
    const time = { begin: one.begin + moved, end: one.end + moved }
    if (one.kind === "list")
      return [
        ...changed(one.pets).map((pets) => ({ ...one, pets })),
        { ...one, isLast: !one.isLast },
        { ...one, ...time },
        { ...one, filters: { status: "sold" } },
        ...(another.kind === "list" ? [{ ...one, pets: another.pets }] : [])
      ]
    const { pet, ...rest } = one
    return [
      rest,
      { ...one, ...time },
      { ...rest, status: 429 },
      { ...rest, status: 0 },
      ...(pet === undefined
        ? []
        : changed([pet]).map(([pet]) => ({ ...rest, ...(pet && { pet }) }))),
      ...(pet && another.kind === "create" && another.pet ? [{ ...one, pet: another.pet }] : [])
    ]
  })()
  const instead = others[below(others.length)]
  return history.map((entry) => (entry === one && instead !== undefined ? instead : entry))
}

/** A page is followed by another, perhaps by a pet without an answer: the search knows more about it. */
const isOpen = (history: ReadonlyArray<History.Entry>) =>
  history.some((entry) => entry.kind === "list" && !entry.isLast) &&
  history.some((entry) => entry.kind === "create" && (entry.status === 0 || entry.status >= 500))

it("agrees with a search for a legal order", { timeout: 120_000 }, () => {
  let seed = 1
  const below: Below = (bound) => {
    // Of a linear congruential generator, the upper bits are random enough.
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * bound)
  }
  const counts = { right: 0, wrong: 0, open: 0 }
  const disputed: Array<ReadonlyArray<History.Entry>> = []
  for (let nth = 0; nth < 10_000; nth++) {
    const simulated = simulate(below)
    const history = nth % 3 === 0 ? simulated : disturb(disturb(simulated, below), below)
    const isRight = LegalOrder.exists(history)
    const isAccepted = History.check(history).length === 0
    if (isAccepted && !isRight && isOpen(history)) counts.open++
    else if (isAccepted !== isRight || (nth % 3 === 0 && !isRight)) disputed.push(history)
    counts[isRight ? "right" : "wrong"]++
  }
  expect(disputed).toEqual([])
  expect(counts.wrong).toBeGreaterThan(2000)
  expect(counts.open).toBeLessThan(20)
})
