/** Integers of 64 bits, exactly: what is taken as one, and that it comes back digit for digit. */
import { suites } from "./cases/numbers.ts"
import { run } from "./support/Cases.ts"

run(suites)
