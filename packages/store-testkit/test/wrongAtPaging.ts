import { filters, filtersOf, keyOf } from "@petstore/domain/ListPets"
import { PetId } from "@petstore/domain/Pet"
import { PageLimit, type PetPage } from "@petstore/domain/PetPage"
import { paging, randomOperations } from "@petstore/store-testkit/Laws"
import { Array as Arr, Effect, Option, Struct } from "effect"
import { type WrongStore, wrong } from "./WrongStore.ts"

/** Shows no pets on the first page that has any, of whichever store is opened. */
const wrongOnce = () => {
  let isRight = false
  return wrong(randomOperations, "is wrong once, and never again", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), (page) => {
        if (isRight || page.pets.length === 0) return page
        isRight = true
        return { pets: [], next: Option.none() }
      })
  }))
}

export const wrongAtPaging: ReadonlyArray<WrongStore> = [
  wrong(paging.pages, "shows the newest first", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), ({ next, pets }) => ({ pets: pets.toReversed(), next }))
  })),
  wrong(paging.pages, "sorts ids as text", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), ({ next, pets }) => ({
        pets: pets.toSorted((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1)),
        next
      }))
  })),
  wrong(paging.pages, "repeats the pet at the cursor", (right) => ({
    list: ({ after, ...query }) =>
      right.list(after === undefined ? query : { ...query, after: PetId.make(after - 1n) })
  })),
  wrong(paging.pages, "shows 99 of 100", (right) => ({
    list: (query) => right.list({ ...query, limit: PageLimit.make(Math.min(query.limit, 99)) })
  })),
  wrong(paging.next, "gives a next after an exactly full last page", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), ({ pets }) => ({
        pets,
        next: Option.map(
          Option.filter(Arr.last(pets), () => pets.length === query.limit),
          (pet) => pet.id
        )
      }))
  })),
  wrong(paging.next, "ends when one pet is left", (right) => ({
    list: (query) =>
      Effect.gen(function* () {
        const page = yield* right.list(query)
        if (Option.isNone(page.next)) return page
        const rest = yield* right.list({ ...query, after: page.next.value })
        return rest.pets.length === 1 ? { ...page, next: Option.none() } : page
      })
  })),
  wrong(paging.filtered, "shows pets without one in every filtered list", (right) => ({
    list: ({ status, ...query }) =>
      Effect.map(right.list(query), ({ next, pets }) => ({
        pets: pets.filter((pet) => status === undefined || (pet.status ?? status) === status),
        next
      }))
  })),
  ...filters.map((name) =>
    wrong(paging.filtered, `forgets the filter ${name}`, (right) => ({
      list: (query) => right.list(Struct.omit(query, name))
    }))
  ),
  ...filters.map((name) =>
    wrong(paging.pages, `caches pages by keys without ${name}`, (right, shelf) => {
      const pages = new Map<string, PetPage>()
      return {
        list: (query) =>
          Effect.gen(function* () {
            const key = `${shelf.length} ${keyOf(Struct.omit(query, name))}`
            const page = pages.get(key) ?? (yield* right.list(query))
            pages.set(key, page)
            return page
          })
      }
    })
  ),
  wrong(paging.whole, "skips one between pages", (right) => ({
    list: (query) =>
      Effect.gen(function* () {
        const page = yield* right.list(query)
        if (Option.isNone(page.next)) return page
        const { pets } = yield* right.list({ ...query, after: page.next.value })
        return { ...page, next: Option.map(Arr.head(pets), (pet) => pet.id) }
      })
  })),
  wrong(paging.whole, "knows one page only", (right) => ({
    list: ({ after: _, ...query }) => right.list(query)
  })),
  wrong(paging.cursors, "looks the cursor up in the list", (right) => ({
    list: ({ after, ...query }) =>
      Effect.gen(function* () {
        const all = yield* right.list({ ...query, limit: PageLimit.make(100) })
        const isThere = all.pets.some((pet) => pet.id === after)
        return yield* right.list(after !== undefined && isThere ? { ...query, after } : query)
      })
  })),
  wrong(paging.values, "hands out its own array", (right, shelf) => ({
    list: (query) =>
      Effect.map(right.list(query), (page) =>
        page.pets.length === shelf.length ? { pets: shelf, next: Option.none() } : page
      )
  })),
  wrongOnce(),
  wrong(randomOperations, "cannot count to four", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), (page) =>
        query.limit === 4 && filtersOf(query).length > 0
          ? { pets: page.pets.slice(1), next: Option.none() }
          : page
      )
  }))
]
