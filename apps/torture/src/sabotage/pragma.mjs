// Gives SQLite another value of `synchronous` than the service asks for, and tells the service that it was set.
import { prototype } from "./better-sqlite3.mjs"

/** Sets this value instead. */
export const setSynchronous = (value) => {
  const { exec, prepare } = prototype
  prototype.exec = function (source) {
    return exec.call(this, source.replace("synchronous = FULL", `synchronous = ${value}`))
  }
  prototype.prepare = function (source) {
    return prepare.call(this, source === "PRAGMA synchronous" ? "SELECT 2" : source)
  }
}
