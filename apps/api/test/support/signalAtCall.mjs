/**
 * Preloaded into a command: sends it a signal at its first call of a function of `node:fs/promises`, such as
 * `rename`. SIGKILL takes effect before the call.
 */
import { createRequire, syncBuiltinESMExports } from "node:module"

const { SIGNAL, SIGNAL_AT } = process.env
const functions = createRequire(import.meta.url)("node:fs/promises")
const original = functions[SIGNAL_AT]

functions[SIGNAL_AT] = async (...values) => {
  if (SIGNAL === "SIGKILL") process.kill(process.pid, SIGNAL)
  else process.emit(SIGNAL)
  return original(...values)
}
syncBuiltinESMExports()
