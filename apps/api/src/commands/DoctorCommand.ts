/** `petstore doctor`: reports problems and how to fix them. */
import * as Effect from "effect/Effect"
import { CommandFailed } from "../CommandFailed.ts"
import * as Entry from "../cli/Entry.ts"
import * as Terminal from "../cli/Terminal.ts"
import { examine } from "../Diagnosis.ts"
import * as CommonFlags from "./CommonFlags.ts"

/** Checks everything that a server needs. */
export const entry = Entry.command(
  "doctor",
  {
    about: "check configuration, database, clock and keys, and say how to fix them",
    examples: ["petstore doctor", "petstore doctor --json"]
  },
  { flags: { database: CommonFlags.database, json: CommonFlags.json }, args: {} },
  ({ database, json }) =>
    Effect.gen(function* () {
      const findings = yield* examine.pipe(CommonFlags.withVariables({ DATABASE_URL: database }))
      if (json) yield* Terminal.printJson(findings)
      else {
        const print = yield* Terminal.table(["CHECK", "STATE", "FOUND"])
        yield* print(
          findings.map(({ fix, message, state, subject }) => [
            subject,
            state,
            fix === undefined ? message : `${message}: ${fix}`
          ])
        )
      }
      const bad = findings.filter(({ state }) => state === "bad").length
      if (bad > 0) {
        return yield* new CommandFailed({
          message: `${Terminal.count(bad, "check")} failed`,
          reason: "failed"
        })
      }
    })
)
