/**
 * Checks what callers of one or several servers have seen. Since ids ascend and pets are neither changed nor removed, this
 * takes time in proportion to the size of the history. Times are of one clock.
 */

import { maxTextBytes } from "@petstore/domain/PetPage"
import { textBytes } from "./internal/Model.ts"

/** A pet as it was sent. Names are unique: by its name a pet is found again. */
export interface SentPet {
  readonly name: string
  readonly [field: string]: unknown
}

/** A pet as it was answered. */
export interface SeenPet extends SentPet {
  readonly id: number
}

interface Interval {
  readonly begin: number
  readonly end: number
}

/** A pet was sent once, or again with the same idempotency key. */
export interface Create extends Interval {
  readonly kind: "create"
  readonly sent: SentPet
  /** The status of the answer, or 0 if there was none: then the pet may have been added. */
  readonly status: number
  /** The pet of the answer, if it was a success. */
  readonly pet?: SeenPet
}

/** Pets were read in the order of their ids: a page, or a single pet as the page between its neighbours. */
export interface List extends Interval {
  readonly kind: "list"
  /** The page has pets with greater ids than this. */
  readonly after: number
  /** The page has all pets up to this id. Without it, it has all up to its last pet, or all if `isLast`. */
  readonly upTo?: number
  readonly isLast: boolean
  /** The greatest number of pets that the page may have, if it was limited. */
  readonly limit?: number
  /** The values of fields that the page was filtered by. */
  readonly filters?: Readonly<Record<string, unknown>>
  readonly pets: ReadonlyArray<SeenPet>
}

/** An API key was used, and answered with this status. */
export interface Use extends Interval {
  readonly kind: "use"
  readonly key: string
  readonly status: number
}

/** This API key was revoked: after the deadline it is refused. */
export interface Revocation {
  readonly kind: "revocation"
  readonly key: string
  readonly deadline: number
}

/** One entry of a history. */
export type Entry = Create | List | Use | Revocation

/** What a server promises. */
export type Rule =
  | "acknowledged pets are in every later list"
  | "pets are as they were sent"
  | "nothing is there that was not sent"
  | "what was refused is not there"
  | "one create is one pet"
  | "lists are in the order of ids"
  | "a page is full unless it is the last"
  | "ids become visible in order"
  | "a revoked key is refused"

/** A promise that was not kept. */
export interface Violation {
  readonly rule: Rule
  readonly message: string
}

interface Known {
  readonly id: number
  readonly pet: SentPet
  /** The first time at which the pet had been acknowledged. */
  acknowledged: number
  /** The first time at which a list had shown a greater id without this one. */
  passed: number
}

/** Everything in a history that breaks a rule. */
export const check = (entries: Iterable<Entry>): ReadonlyArray<Violation> => {
  const history = [...entries]
  const creates = history.filter((entry) => entry.kind === "create")
  const lists = history.filter((entry) => entry.kind === "list")
  const violations: Array<Violation> = []
  const report = (rule: Rule, message: string) => violations.push({ rule, message })

  const sent = new Map<string, { readonly fields: string; isRefused: boolean }>()
  for (const { sent: pet, status } of creates) {
    const one = sent.get(pet.name)
    const isRefused = status >= 400 && status < 500
    if (one === undefined) sent.set(pet.name, { fields: fieldsOf(pet), isRefused })
    else one.isRefused &&= isRefused
  }

  const known = new Map<number, Known>()
  const idOf = new Map<string, number>()
  const see = ({ id, ...pet }: SeenPet, where: string): Known => {
    const origin = sent.get(pet.name)
    const what = `pet ${id} (${pet.name}) ${where}`
    if (origin === undefined) report("nothing is there that was not sent", what)
    else if (origin.fields !== fieldsOf(pet)) report("pets are as they were sent", what)
    else if (origin.isRefused) report("what was refused is not there", what)
    const first = idOf.get(pet.name)
    if (first === undefined) idOf.set(pet.name, id)
    else if (first !== id) report("one create is one pet", `${what} is pet ${first}, too`)
    const one = known.get(id) ?? { id, pet, acknowledged: Infinity, passed: Infinity }
    known.set(id, one)
    return one
  }
  for (const { end, pet } of creates) {
    if (pet === undefined) continue
    const one = see(pet, "of an answer")
    one.acknowledged = Math.min(one.acknowledged, end)
  }
  for (const { pets } of lists) for (const pet of pets) see(pet, "of a list")

  const all = [...known.values()].sort((a, b) => a.id - b.id)
  const byFilters = new Map<string, Index>()
  for (const list of lists) {
    const filters = Object.entries(list.filters ?? {})
    const isShown = ({ pet }: Known) => filters.every(([name, value]) => pet[name] === value)
    const key = fieldsOf(list.filters ?? {})
    const index = byFilters.get(key) ?? indexOf(all.filter(isShown))
    byFilters.set(key, index)
    compare(list, index, report)
  }
  for (const { isLast, limit = Infinity, pets } of lists) {
    const isFull = pets.length === limit || textBytes(pets) >= maxTextBytes
    const isLarge = pets.length > limit || textBytes(pets.slice(0, -1)) >= maxTextBytes
    if (limit < Infinity && (isLarge || !(isFull || isLast)))
      report("a page is full unless it is the last", `a page of ${limit} has ${pets.length} pets`)
  }
  for (const { begin, pets } of lists) {
    for (const { id } of pets) {
      if ((known.get(id)?.passed ?? Infinity) < begin) {
        report("ids become visible in order", `pet ${id} appeared after a greater id`)
      }
    }
  }

  const deadlines = new Map<string, number>()
  for (const entry of history) {
    if (entry.kind === "revocation") deadlines.set(entry.key, entry.deadline)
  }
  for (const entry of history) {
    if (entry.kind !== "use" || entry.status === 401 || entry.status === 0) continue
    if (entry.begin > (deadlines.get(entry.key) ?? Infinity)) {
      report(
        "a revoked key is refused",
        `key ${entry.key.slice(0, 8)}… was answered with ${entry.status}`
      )
    }
  }
  return violations
}

/** Pets by ascending id, and for each the first time at which it or one after it had been acknowledged. */
interface Index {
  readonly pets: ReadonlyArray<Known>
  readonly acknowledgedFrom: ReadonlyArray<number>
}

const indexOf = (pets: ReadonlyArray<Known>): Index => {
  const acknowledgedFrom = pets.map(({ acknowledged }) => acknowledged)
  for (let nth = pets.length - 2; nth >= 0; nth--) {
    acknowledgedFrom[nth] = Math.min(
      acknowledgedFrom[nth] ?? Infinity,
      acknowledgedFrom[nth + 1] ?? Infinity
    )
  }
  return { pets, acknowledgedFrom }
}

/** Walks through a list and what is known to be there, side by side. */
const compare = (
  { after, begin, end, isLast, pets, upTo }: List,
  { acknowledgedFrom, pets: all }: Index,
  report: (rule: Rule, message: string) => void
) => {
  const limit = upTo ?? (isLast ? Infinity : (pets.at(-1)?.id ?? after))
  let nth = firstAfter(all, after)
  let before = after
  const isLost = (one: Known) => {
    if (one.acknowledged >= begin) return false
    const message = `pet ${one.id} is not in a list that was requested later`
    report("acknowledged pets are in every later list", message)
    return true
  }
  for (const { id } of pets) {
    if (id <= before || id > limit) {
      report("lists are in the order of ids", `pet ${id} is listed after ${before}`)
      continue
    }
    before = id
    for (let one = all[nth]; one !== undefined && one.id <= id; one = all[++nth]) {
      if (one.id === id) continue
      isLost(one)
      one.passed = Math.min(one.passed, end)
    }
  }
  // Of pets that are missing at the end of a list, one is enough.
  for (let one = all[nth]; one !== undefined && one.id <= limit; one = all[++nth]) {
    if ((acknowledgedFrom[nth] ?? Infinity) >= begin || isLost(one)) return
  }
}

const firstAfter = (pets: ReadonlyArray<Known>, id: number) => {
  let [low, high] = [0, pets.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pets[middle]?.id ?? Infinity) > id) high = middle
    else low = middle + 1
  }
  return low
}

/** The same for fields in another order. */
const fieldsOf = (fields: object) =>
  JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
