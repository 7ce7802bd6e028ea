// Rolls back every twentieth transaction, and answers as if it had been committed.
import { isMainThread } from "node:worker_threads"
import { prototype } from "./better-sqlite3.mjs"

const { prepare } = prototype
let commits = 0
prototype.prepare = function (source) {
  const statement = prepare.call(this, source)
  if (source !== "COMMIT" || isMainThread) return statement
  const rollback = prepare.call(this, "ROLLBACK")
  return { run: () => (++commits % 20 === 0 ? rollback : statement).run() }
}
