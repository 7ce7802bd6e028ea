// The SQLite driver that the service loads.
import { createRequire } from "node:module"

export const Database = createRequire(new URL("../../../api/package.json", import.meta.url))(
  "better-sqlite3"
)

export const { prototype } = Database
