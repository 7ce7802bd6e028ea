/** A database in memory: it is lost with the process. */
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import type { Database, Kind } from "./Database.ts"

const url = "memory:"

const memory: Database = {
  url,
  // Nothing that it depends on can fail.
  explain: ({ message }) => `DATABASE_URL ${url} cannot be used (${message}): restart the server`,
  layer: () => MemoryStores.layer
}

/** The database of the URL `memory:`. */
export const kind: Kind = {
  form: url,
  parse: (text) => (text === url ? memory : undefined)
}
