// An import adds a part of its pets, and says that it added all.
import { prototype } from "./better-sqlite3.mjs"

const { exec } = prototype
prototype.exec = function (source) {
  return exec.call(this, source.replace("FROM without_id ORDER BY", "$& rowid LIMIT 100 --"))
}
