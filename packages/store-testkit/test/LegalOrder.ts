/**
 * A second opinion on histories, which shares nothing with the first: a search for an order of all calls in which a server
 * that does one at a time would have answered the same (Wing and Gong). It takes exponential time.
 */
import type * as History from "@petstore/store-testkit/History"

type Call = History.Create | History.List
type Catalogue = ReadonlyArray<History.SeenPet>

/** Whether there is such an order. */
export const exists = (calls: ReadonlyArray<Call>): boolean => {
  const ids = new Map<string, number>()
  for (const call of calls)
    for (const pet of call.kind === "list" ? call.pets : [call.pet])
      if (pet !== undefined) ids.set(pet.name, pet.id)
  const known = [...ids.values()].sort((a, b) => a - b)
  const search = (left: ReadonlyArray<Call>, catalogue: Catalogue): boolean => {
    if (left.every(isUncertain)) return true
    // A call comes next only if no other had ended before it began.
    const deadline = Math.min(...left.filter((call) => !isUncertain(call)).map(({ end }) => end))
    const possible = left.filter(({ begin }) => begin <= deadline)
    const without = (call: Call) => left.filter((other) => other !== call)
    // What can be answered without a change may as well come first.
    const unchanging = possible.find((call) => isAnswered(call, catalogue))
    if (unchanging !== undefined) return search(without(unchanging), catalogue)
    return possible.some((call) => {
      const after = call.kind === "create" && add(call, catalogue)
      return after && search(without(call), after)
    })
  }

  /** Whether a call is answered as it was if nothing changes. */
  const isAnswered = (call: Call, catalogue: Catalogue): boolean => {
    if (call.kind === "list") return isPage(call, catalogue)
    if (call.status >= 400 && call.status < 500) return true
    const found = catalogue.find(({ name }) => name === call.sent.name)
    return found !== undefined && (isUncertain(call) || isSame(found, call.pet))
  }

  /** The catalogue with a pet that is not yet there. It has the id that was seen, or any that fits. */
  const add = ({ pet, sent, status }: History.Create, catalogue: Catalogue) => {
    const last = catalogue.at(-1)?.id ?? 0
    const next = known.find((id) => id > last) ?? last + 2
    const added = { ...sent, id: ids.get(sent.name) ?? (last + next) / 2 }
    const isKnown = catalogue.some(({ name }) => name === sent.name)
    if (isKnown || added.id <= last || (status === 201 && !isSame(added, pet))) return undefined
    return [...catalogue, added]
  }
  return search(calls, [])
}

/** Without an answer, a create may have any effect, or none. */
const isUncertain = (call: Call): boolean =>
  call.kind === "create" && (call.status === 0 || call.status >= 500)

const isPage = (
  { after, filters = {}, isLast, limit = Infinity, pets, upTo = Infinity }: History.List,
  catalogue: Catalogue
): boolean => {
  const suiting = catalogue.filter(
    (pet) =>
      pet.id > after &&
      pet.id <= upTo &&
      Object.entries(filters).every(([name, value]) => pet[name] === value)
  )
  if (upTo < Infinity || isLast) return pets.length <= limit && areSame(pets, suiting)
  const many = limit < Infinity ? limit : pets.length
  return many > 0 && suiting.length > many && areSame(pets, suiting.slice(0, many))
}

const areSame = (some: Catalogue, others: Catalogue) =>
  some.length === others.length && some.every((pet, nth) => isSame(pet, others[nth]))

const isSame = (one: object, other: object | undefined): boolean =>
  other !== undefined &&
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort())
