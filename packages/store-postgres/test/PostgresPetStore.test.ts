import { durableSuite } from "@petstore/store-testkit/vitest"
import { place } from "./support/Databases.ts"

durableSuite("PostgresPetStore", place)
