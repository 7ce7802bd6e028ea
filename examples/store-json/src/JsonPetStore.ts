/** Pets in one JSON file, for one process. An example: every change writes the whole file. */
import { existsSync } from "node:fs"
import { readFile, rename, writeFile } from "node:fs/promises"
import { PetStore } from "@petstore/domain"
import { Port, StoreUnavailable } from "@petstore/kernel"
import { MemoryPetStore } from "@petstore/store-memory"
import { Effect, Layer, Schema, Stream } from "effect"

/** The store in this file, which the first change creates. */
export const layer = (file: string) => Layer.effect(PetStore.PetStore, make(file))

type Store = PetStore.PetStore["Type"]

const make = (file: string) =>
  Effect.gen(function* () {
    let current = MemoryPetStore.open(existsSync(file) ? yield* read(file) : undefined)
    const lock = yield* Effect.makeSemaphore(1)

    /** Makes a change to a copy, one change at a time, and writes it: all of it, or nothing. */
    const change = <A, E>(call: (store: Store) => Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const next = MemoryPetStore.open(current.content())
        const result = yield* call(next.store)
        yield* write(file, next.content())
        current = next
        return result
      }).pipe(Effect.uninterruptible, lock.withPermits(1))

    const store = Port.make<Store>(PetStore.writes, (call, isWrite) =>
      isWrite ? change(call) : Effect.suspend(() => call(current.store))
    )
    // The pets of an import arrive before the lock is taken.
    const addAll: Store["addAll"] = (pets) =>
      Effect.flatMap(Stream.runCollect(pets), (all) => store.addAll(Stream.fromChunk(all)))
    return { ...store, addAll }
  })

const read = (file: string) =>
  Effect.tryPromise(async () => JSON.parse(await readFile(file, "utf8"), exactly)).pipe(
    Effect.flatMap(Schema.decodeUnknown(MemoryPetStore.Content)),
    Effect.mapError((cause) => new StoreUnavailable.StoreUnavailable({ reason: "damaged", cause }))
  )

/** The new file replaces the old one in one step, once it is on the disk. */
const write = (file: string, content: MemoryPetStore.Content) =>
  Effect.tryPromise({
    try: async () => {
      await writeFile(`${file}.new`, JSON.stringify(content, asText), { flush: true })
      await rename(`${file}.new`, file)
    },
    catch: (cause) => new StoreUnavailable.StoreUnavailable({ reason: "down", cause })
  })

// JSON.parse rounds large integers, so the file has them as texts.
const asText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)
const exactly = (name: string, value: string) =>
  name === "id" || name === "categoryId" ? BigInt(value) : value
