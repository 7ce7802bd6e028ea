/** The store of keys in a PostgreSQL database. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { Database } from "./Database.ts"
import * as KeyReader from "./KeyReader.ts"
import * as KeyWriter from "./KeyWriter.ts"

/** The store of keys in this database. */
export const make = (database: Database): ApiKeyStore["Type"] =>
  ApiKeyStore.of({ ...KeyReader.make(database.query), ...KeyWriter.make(database) })
