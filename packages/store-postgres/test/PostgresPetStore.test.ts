import { sharedSuite } from "@petstore/store-testkit/vitest"
import { place } from "./support/Databases.ts"

sharedSuite("PostgresPetStore", place)
