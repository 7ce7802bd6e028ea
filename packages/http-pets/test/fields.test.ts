/** The fields of an animal: which texts are names, what a status is, what is ignored. */
import { suites } from "./cases/fields.ts"
import { run } from "./support/Cases.ts"

run(suites)
