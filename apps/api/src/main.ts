import { setFlagsFromString } from "node:v8"

// Objects of waiting writes survive a collection. V8 would then allocate all objects from the same code in the
// old generation, those of reads included, and every later read would cost more (docs/decisions/0005-speed.md).
setFlagsFromString("--no-allocation-site-pretenuring")

const words = process.argv.slice(2)

// A server that is told to stop before it has loaded has nothing to finish.
const isServer = words.length === 0 || words[0] === "serve"
const stop = () => process.exit(0)
if (isServer) process.on("SIGTERM", stop).on("SIGINT", stop)
const { start } = await import("./Program.ts")
start(words)
process.off("SIGTERM", stop).off("SIGINT", stop)
