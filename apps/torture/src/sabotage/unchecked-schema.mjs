// Takes every database for an empty one.
import { prototype } from "./better-sqlite3.mjs"

const { prepare } = prototype
prototype.prepare = function (source) {
  return prepare.call(this, source.endsWith(" FROM sqlite_schema") ? `${source} WHERE 0` : source)
}
