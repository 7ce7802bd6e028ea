import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as App from "./App.ts"

NodeRuntime.runMain(App.run, { disableErrorReporting: true, disablePrettyLogger: true })
