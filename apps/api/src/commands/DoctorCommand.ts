/** `petstore doctor`: reports problems and how to fix them. */
import * as Effect from "effect/Effect"
import { failed } from "../CommandFailed.ts"
import * as Command from "../cli/Command.ts"
import * as Terminal from "../cli/Terminal.ts"
import { examine } from "../Diagnosis.ts"
import { database, json } from "./CommonFlags.ts"

export const command = Command.make(
  {
    name: "doctor",
    about: "check configuration, database, clock and keys, and say how to fix them",
    notes: ["It changes nothing. It exits with 1 if a check fails."],
    examples: ["petstore doctor", "petstore doctor --json"],
    flags: { database, json }
  },
  ({ json }) =>
    Effect.gen(function* () {
      const findings = yield* examine
      const rows = findings.map(({ fix, message, state, subject }) => [
        subject,
        state,
        fix === undefined ? message : `${message}: ${fix}`
      ])
      yield* json ? Terminal.printJson(findings) : Terminal.table(["CHECK", "STATE", "FOUND"])(rows)
      const bad = findings.filter(({ state }) => state === "bad").length
      if (bad > 0) return yield* failed(`${Terminal.count(bad, "check")} failed`)
    })
)
