import { setFlagsFromString } from "node:v8"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Program from "./Program.ts"

// Objects of waiting writes survive a collection. V8 would then allocate all objects from the same code in the
// old generation, those of reads included, and every later read would cost more (docs/decisions/0005-speed.md).
setFlagsFromString("--no-allocation-site-pretenuring")

NodeRuntime.runMain(Program.run(process.argv.slice(2)), {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit) => process.exit(Program.exitCodeOf(exit))
})
