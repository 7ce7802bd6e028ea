/** Pets in one JSON file, for one process. An example: every change writes the whole file. */
import { existsSync } from "node:fs"
import { readFile, rename, writeFile } from "node:fs/promises"
import { Catalogue, PetStore, StoreUnavailable } from "@petstore/domain"
import { Effect, Layer, Schema, Stream } from "effect"

/** The store in this file, which the first change creates. */
export const layer = (file: string) => Layer.effect(PetStore.PetStore, make(file))

const make = (file: string) =>
  Effect.gen(function* () {
    let catalogue = existsSync(file) ? yield* read(file) : Catalogue.empty
    const lock = yield* Effect.makeSemaphore(1)

    /** Writes what a change makes of the catalogue, one change at a time: all of it, or nothing. */
    const change = <A, E>(next: (before: Catalogue.Catalogue) => Catalogue.Changed<A, E>) =>
      Effect.gen(function* () {
        const [result, after] = yield* next(catalogue)
        yield* write(file, after)
        catalogue = after
        return result
      }).pipe(Effect.uninterruptible, lock.withPermits(1))

    return PetStore.PetStore.of({
      add: (pet) => change((before) => Catalogue.add(before, pet)),
      addOnce: (pet, once) => change((before) => Catalogue.addOnce(before, pet, once)),
      addAll: (pets) =>
        Effect.flatMap(Stream.runCollect(pets), (arrivals) =>
          change((before) => Catalogue.addAll(before, arrivals))
        ),
      get: (id) => Effect.suspend(() => Catalogue.get(catalogue, id)),
      list: (query) => Effect.sync(() => Catalogue.list(catalogue, query))
    })
  })

const read = (file: string) =>
  Effect.tryPromise(async () => JSON.parse(await readFile(file, "utf8"), exactly)).pipe(
    Effect.flatMap(Schema.decodeUnknown(Catalogue.Catalogue)),
    Effect.mapError((cause) => new StoreUnavailable.StoreUnavailable({ reason: "damaged", cause }))
  )

/** The new file replaces the old one in one step, once it is on the disk. */
const write = (file: string, catalogue: Catalogue.Catalogue) =>
  Effect.tryPromise({
    try: async () => {
      await writeFile(`${file}.new`, JSON.stringify(catalogue, asText), { flush: true })
      await rename(`${file}.new`, file)
    },
    catch: (cause) => new StoreUnavailable.StoreUnavailable({ reason: "down", cause })
  })

// JSON.parse rounds large integers, so the file has them as texts.
const asText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)
const exactly = (name: string, value: string) =>
  name === "id" || name === "categoryId" ? BigInt(value) : value
