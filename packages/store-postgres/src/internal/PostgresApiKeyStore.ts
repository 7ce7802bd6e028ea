/** The store of keys in a PostgreSQL database. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { ConnectionPool, Query } from "./ConnectionPool.ts"
import * as KeyReader from "./KeyReader.ts"
import * as KeyWriter from "./KeyWriter.ts"

/** The store of keys in this database, which reads with this function. */
export const make = (database: ConnectionPool, query: Query): ApiKeyStore["Type"] =>
  ApiKeyStore.of({ ...KeyReader.make(query), ...KeyWriter.make(database) })
