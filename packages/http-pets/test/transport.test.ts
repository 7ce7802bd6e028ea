/** What the transport does for any API, at the Pet Store's own paths. */
import { suites } from "./cases/transport.ts"
import { run } from "./support/Cases.ts"

run(suites)
