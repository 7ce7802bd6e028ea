// Gives SQLite another value of `synchronous` than the service asks for, and tells the service that it was set.
import { prototype } from "./better-sqlite3.mjs"

/** Sets this value instead. */
export const setSynchronous = (value) => {
  const { pragma } = prototype
  prototype.pragma = function (source, options) {
    if (source === "synchronous = FULL") return pragma.call(this, `synchronous = ${value}`, options)
    if (source === "synchronous") return 2n
    return pragma.call(this, source, options)
  }
}
