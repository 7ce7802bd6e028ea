/**
 * Checks what callers of one or several servers have seen: is there an order of all calls, each between its begin and its
 * end, in which one server with one catalogue would have answered the same? Since pets become visible in the order of their
 * ids and are neither changed nor removed, this takes time in proportion to the size of the history. Times are of one clock.
 */

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
  /** Whether no page follows. */
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
  | "an id keeps its pet"
  | "lists are in the order of ids"
  | "a filtered list has only what it asks for"
  | "a page is full unless it is the last"
  | "ids become visible in order"
  | "a revoked key is refused"

/** A promise that was not kept. */
export interface Violation {
  readonly rule: Rule
  readonly message: string
}

type Report = (rule: Rule, message: string) => void

interface Known {
  readonly id: number
  readonly pet: SentPet
  /** When it was first sent. */
  begin: number
  /** The first time at which it, or a pet with a greater id, had been acknowledged or listed. */
  visible: number
}

/** What a list may show. */
interface Shown {
  /** The pets that are known, by ascending id. */
  readonly pets: ReadonlyArray<Known>
  /** Since when there may be others: they were sent, and neither acknowledged nor listed. */
  readonly othersSince: number
}

/** Everything in a history that breaks a rule. */
export const check = (entries: Iterable<Entry>): ReadonlyArray<Violation> => {
  const history = [...entries]
  const creates = history.filter((entry) => entry.kind === "create")
  const lists = history.filter((entry) => entry.kind === "list")
  const violations: Array<Violation> = []
  const report: Report = (rule, message) => violations.push({ rule, message })

  const sent = sentPets(creates)
  const known = new Map<number, Known>()
  const idOf = new Map<string, number>()
  const see = ({ id, ...pet }: SeenPet, end: number, where: string) => {
    const origin = sent.get(pet.name)
    const what = `pet ${id} (${pet.name}) ${where}`
    if (origin === undefined) report("nothing is there that was not sent", what)
    else if (origin.fields !== fieldsOf(pet)) report("pets are as they were sent", what)
    else if (origin.isRefused) report("what was refused is not there", what)
    const first = idOf.get(pet.name)
    if (first === undefined) idOf.set(pet.name, id)
    else if (first !== id) report("one create is one pet", `${what} is pet ${first}, too`)
    const one = known.get(id) ?? { id, pet, begin: origin?.begin ?? -Infinity, visible: Infinity }
    if (one.pet.name !== pet.name)
      report("an id keeps its pet", `${what} has the id of ${one.pet.name}`)
    one.visible = Math.min(one.visible, end)
    known.set(id, one)
  }
  for (const { end, pet, sent: own, status } of creates) {
    if (pet !== undefined) see(pet, end, "of an answer")
    if (status === 201 && pet?.name !== own.name)
      report("pets are as they were sent", `the answer to ${own.name} is ${pet?.name ?? "empty"}`)
  }
  for (const { end, pets } of lists) for (const pet of pets) see(pet, end, "of a list")

  const all = [...known.values()].sort((a, b) => a.id - b.id)
  const unseen = creates.filter((create) => !isRefused(create) && !idOf.has(create.sent.name))
  const byFilters = new Map<string, Shown>()
  const shownIn = ({ filters }: List): Shown => {
    const key = fieldsOf(filters ?? {})
    const begins = () => unseen.filter(({ sent }) => suits(sent, filters)).map(({ begin }) => begin)
    const shown = byFilters.get(key) ?? {
      pets: all.filter(({ pet }) => suits(pet, filters)),
      othersSince: begins().reduce((a, b) => Math.min(a, b), Infinity)
    }
    byFilters.set(key, shown)
    return shown
  }
  for (const list of lists) {
    const { othersSince, pets } = shownIn(list)
    // What follows a page that is not the last is the next pet that is known, unless there may be others.
    if (list.isLast || list.upTo !== undefined || othersSince <= list.end) continue
    const next = pets[firstAfter(pets, list.pets.at(-1)?.id ?? list.after)]
    if (next !== undefined) next.visible = Math.min(next.visible, list.end)
    else report("a page is full unless it is the last", "nothing follows a page with a next one")
  }
  for (const one of all) {
    if (one.begin <= one.visible) continue
    report("nothing is there that was not sent", `pet ${one.id} was sent later`)
    one.begin = one.visible
  }
  all.reduceRight((visible, one) => (one.visible = Math.min(one.visible, visible)), Infinity)
  for (const list of lists) compare(list, shownIn(list).pets, report)
  for (const list of lists) measure(list, report)
  for (const { begin, id, visible } of all)
    if (begin > visible)
      report("ids become visible in order", `pet ${id} was sent after a greater id was there`)
  checkKeys(history, report)
  return violations
}

const isRefused = ({ status }: Create) => status >= 400 && status < 500

/** What was sent, by name, since when it may be there, and whether it was only refused. */
const sentPets = (creates: ReadonlyArray<Create>) => {
  const sent = new Map<string, { fields: string; begin: number; isRefused: boolean }>()
  for (const create of creates) {
    const { begin, sent: pet } = create
    const one = sent.get(pet.name)
    if (one === undefined || (one.isRefused && !isRefused(create)))
      sent.set(pet.name, { fields: fieldsOf(pet), begin, isRefused: isRefused(create) })
    else if (!isRefused(create)) one.begin = Math.min(one.begin, begin)
  }
  return sent
}

/** Walks through a list and what is known to be there, side by side. */
const compare = (
  { after, begin, filters, isLast, pets, upTo }: List,
  all: ReadonlyArray<Known>,
  report: Report
) => {
  const limit = upTo ?? (isLast ? Infinity : (pets.at(-1)?.id ?? after))
  let nth = firstAfter(all, after)
  let before = after
  const isLost = ({ id, visible }: Known) => {
    if (visible >= begin) return false
    const message = `pet ${id} is not in a list that was requested later`
    report("acknowledged pets are in every later list", message)
    return true
  }
  for (const pet of pets) {
    const { id } = pet
    if (!suits(pet, filters)) report("a filtered list has only what it asks for", `pet ${id}`)
    if (id <= before || id > limit)
      report("lists are in the order of ids", `pet ${id} is listed after ${before}`)
    before = id
  }
  for (const id of pets.map(({ id }) => id).sort((a, b) => a - b)) {
    for (let one = all[nth]; one !== undefined && one.id <= id; one = all[++nth]) {
      if (one.id !== id && !isLost(one))
        report("ids become visible in order", `pet ${one.id} was not there, but pet ${id} was`)
    }
  }
  // Of pets that are missing at the end of a list, the first is visible first.
  const [first] = all.slice(nth, nth + 1)
  if (first !== undefined && first.id <= limit) isLost(first)
}

/** Checks that a page has as many pets as it may have. */
const measure = ({ isLast, limit, pets, upTo }: List, report: Report) => {
  const isShort = pets.length < (limit ?? 1)
  const isLarge = pets.length > (limit ?? Infinity)
  if (isLarge || (isShort && !isLast && upTo === undefined))
    report("a page is full unless it is the last", `a page of ${limit} has ${pets.length} pets`)
}

const checkKeys = (history: ReadonlyArray<Entry>, report: Report) => {
  const deadlines = new Map<string, number>()
  const deadlineOf = (key: string) => deadlines.get(key) ?? Infinity
  for (const entry of history)
    if (entry.kind === "revocation")
      deadlines.set(entry.key, Math.min(deadlineOf(entry.key), entry.deadline))
  for (const entry of history) {
    if (entry.kind !== "use" || entry.begin <= deadlineOf(entry.key)) continue
    const { key, status } = entry
    // What was not authenticated says nothing about the key.
    if (status !== 0 && status !== 401 && status !== 429 && status < 500)
      report("a revoked key is refused", `key ${key.slice(0, 8)}… was answered with ${status}`)
  }
}

const suits = (pet: SentPet, filters: List["filters"] = {}) =>
  Object.entries(filters).every(([name, value]) => pet[name] === value)

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
