// Waits for the lock of the file on the event loop.
import { isMainThread } from "node:worker_threads"
import { Database } from "./better-sqlite3.mjs"
import "./loop-probe.mjs"

if (isMainThread) {
  setInterval(() => {
    const database = new Database(process.env.DATABASE_URL.replace("sqlite:", ""), { timeout: 500 })
    try {
      database.exec("BEGIN IMMEDIATE; COMMIT")
    } catch {
      // It was not released in time.
    } finally {
      database.close()
    }
  }, 300).unref()
}
