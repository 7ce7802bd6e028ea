/** Preloaded into a command: kills it at its first call of a function of `node:fs/promises`, such as `rename`. */
import { createRequire, syncBuiltinESMExports } from "node:module"

createRequire(import.meta.url)("node:fs/promises")[process.env.KILLED_AT] = () =>
  process.kill(process.pid, "SIGKILL")
syncBuiltinESMExports()
