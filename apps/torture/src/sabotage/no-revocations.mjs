// Hides revocations from the servers.
import { prototype } from "./better-sqlite3.mjs"

const { prepare } = prototype
prototype.prepare = function (source) {
  const isRead = /^SELECT .*\brevoked\b.* FROM api_keys/s.test(source)
  return prepare.call(this, isRead ? source.replace(/\brevoked\b/, "NULL AS revoked") : source)
}
