/** The store of keys in a PostgreSQL database. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { Database, Query } from "./Database.ts"
import * as KeyReader from "./KeyReader.ts"
import * as KeyWriter from "./KeyWriter.ts"

/** The store of keys in this database, which reads with this function. */
export const make = (database: Database, query: Query): ApiKeyStore["Type"] =>
  ApiKeyStore.of({ ...KeyReader.make(query), ...KeyWriter.make(database) })
