/** A database in memory: it is lost with the process. */
import * as MemoryApiKeyStore from "@petstore/store-memory/MemoryApiKeyStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import * as Layer from "effect/Layer"
import type { Database } from "./Database.ts"

/** The database of the URL `memory:`. */
export const parse = (url: string): Database | undefined =>
  url === memory.url ? memory : undefined

const memory: Database = {
  url: "memory:",
  remedies: {
    busy: "try again later",
    full: "set DATABASE_URL to sqlite:<file>",
    "read-only": "restart the server",
    damaged: "restart the server",
    incompatible: "restart the server",
    down: "restart the server"
  },
  layer: () => Layer.merge(MemoryPetStore.layer, MemoryApiKeyStore.layer)
}
