import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Program from "./Program.ts"

NodeRuntime.runMain(Program.run(process.argv.slice(2)), {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit) => process.exit(Program.exitCodeOf(exit))
})
