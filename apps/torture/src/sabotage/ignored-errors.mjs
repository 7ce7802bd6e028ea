// Ignores that a transaction cannot be committed, and answers as if it had been.
import { isMainThread } from "node:worker_threads"
import { prototype } from "./better-sqlite3.mjs"

const { prepare } = prototype
prototype.prepare = function (source) {
  const statement = prepare.call(this, source)
  if (source !== "COMMIT" || isMainThread) return statement
  const rollback = prepare.call(this, "ROLLBACK")
  return {
    run: () => {
      try {
        statement.run()
      } catch {
        if (this.inTransaction) rollback.run()
      }
    }
  }
}
