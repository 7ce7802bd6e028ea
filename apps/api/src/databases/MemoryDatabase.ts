/** A database in memory: it is lost with the process. */
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import { type Database, explain, type Kind } from "./Database.ts"

const url = "memory:"

const memory: Database = {
  url,
  explain: explain(url, {
    busy: "try again later",
    full: "set DATABASE_URL to a database that persists",
    "read-only": "restart the server",
    damaged: "restart the server",
    incompatible: "restart the server",
    down: "restart the server"
  }),
  layer: () => MemoryStores.layer
}

/** The database of the URL `memory:`. */
export const kind: Kind = {
  form: url,
  isDurable: false,
  notes: {},
  parse: (text) => (text === url ? memory : undefined)
}
