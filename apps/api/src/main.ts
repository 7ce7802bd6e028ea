import "./requireNode.js"
import { setFlagsFromString } from "node:v8"

// Objects of waiting writes survive a collection. V8 would then allocate all objects from the same code in the
// old generation, those of reads included, and every later read would cost more (docs/decisions/0005-speed.md).
setFlagsFromString("--no-allocation-site-pretenuring")

const words = process.argv.slice(2)
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

// A signal while the program loads: no request is in flight, so a server exits with 0.
const [first = "serve"] = words
const stop = () => process.exit(0)
if (first === "serve" || first.startsWith("-")) {
  process.exitCode = 0
  for (const signal of signals) process.on(signal, stop)
}
const { start } = await import("./commands/Program.ts")
start(words)
// A closed terminal stops the process like SIGTERM. A signal that arrived while the program was loading is lost if no
// listener is left for a moment, so this one is added before the first is removed.
process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
for (const signal of signals) process.off(signal, stop)
