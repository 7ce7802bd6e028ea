// A slow disk: every pet takes ten milliseconds of the thread that writes.
import { prototype } from "./better-sqlite3.mjs"

const { prepare } = prototype
const nothing = new Int32Array(new SharedArrayBuffer(4))
prototype.prepare = function (source) {
  const statement = prepare.call(this, source)
  if (!source.startsWith("INSERT INTO pets")) return statement
  const { run } = statement
  statement.run = function (...values) {
    Atomics.wait(nothing, 0, 0, 10)
    return run.apply(this, values)
  }
  return statement
}
