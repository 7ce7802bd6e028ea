/** The handlers of the fixture, on a shelf in memory whose operations a test may replace. */

import { created, type Handlers, unavailable } from "@petstore/http-transport/Handlers"
import * as Paging from "@petstore/http-transport/Paging"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Context, Effect, Layer } from "effect"
import * as ThingsApi from "./ThingsApi.ts"

const { errors } = ThingsApi
type Thing = typeof ThingsApi.Thing.Type

/** Where things are kept. */
export class Shelf extends Context.Tag("Shelf")<
  Shelf,
  {
    readonly add: (thing: typeof ThingsApi.NewThing.Type) => Effect.Effect<Thing, StoreUnavailable>
    readonly get: (id: bigint) => Effect.Effect<Thing | undefined, StoreUnavailable>
    /** As many as wanted after this id, and whether there are more. */
    readonly list: (
      limit: number,
      after?: bigint
    ) => Effect.Effect<
      { readonly page: ReadonlyArray<Thing>; readonly isLast: boolean },
      StoreUnavailable
    >
    readonly count: () => number
    /** Called when its layer is closed. */
    readonly close: () => void
  }
>() {}

/** What a test replaces. */
export type Change = (usual: Shelf["Type"]) => Partial<Shelf["Type"]>

/** An empty shelf, with some operations replaced. */
export const layer = (change: Change = () => ({})) =>
  Layer.scoped(
    Shelf,
    Effect.acquireRelease(
      Effect.sync(() => make(change)),
      ({ close }) => Effect.sync(close)
    )
  )

const make = (change: Change): Shelf["Type"] => {
  const things = new Map<bigint, Thing>()
  let lastId = 0n
  const usual = Shelf.of({
    add: (thing) =>
      Effect.sync(() => {
        const added = { id: ++lastId, ...thing }
        things.set(added.id, added)
        return added
      }),
    get: (id) => Effect.sync(() => things.get(id)),
    list: (limit, after = 0n) =>
      Effect.sync(() => {
        const rest = [...things.values()].filter(({ id }) => id > after)
        return { page: rest.slice(0, limit), isLast: rest.length <= limit }
      }),
    count: () => things.size,
    close: () => {}
  })
  return { ...usual, ...change(usual) }
}

/** How many things there are. */
export const count = Effect.map(Shelf, (shelf) => shelf.count())

/** The handlers. */
export const handlers: Effect.Effect<Handlers<typeof ThingsApi.Things>, never, Shelf> = Effect.map(
  Shelf,
  ({ add, get, list }) => ({
    listThings: ({ urlParams }) =>
      Effect.mapBoth(list(urlParams.limit, urlParams.cursor), {
        onFailure: unavailable,
        onSuccess: ({ isLast, page }) => {
          const next = { hasNext: true, last: page.at(-1)?.id }
          return {
            body: page,
            headers: isLast ? [] : Paging.link("/v1/things", urlParams, next)
          }
        }
      }),
    addThing: ({ payload }) =>
      Effect.mapBoth(add(payload), {
        onFailure: unavailable,
        onSuccess: (body) => created(`/v1/things/${body.id}`, body)
      }),
    getThing: ({ path: { thingId } }) =>
      Effect.flatMap(Effect.mapError(get(thingId), unavailable), (body) =>
        body === undefined ? notFound(thingId) : Effect.succeed({ body })
      )
  })
)

const notFound = (id: bigint) =>
  Effect.fail({ body: errors.make("thing_not_found", `there is no thing ${id}`) })
