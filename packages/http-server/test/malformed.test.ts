/** Bodies that are no JSON, and bodies that do not say that they are JSON. */
import { suites } from "./cases/malformed.ts"
import { run } from "./support/Cases.ts"

run(suites)
