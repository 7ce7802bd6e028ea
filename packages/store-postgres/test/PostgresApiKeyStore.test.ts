import { durableKeySuite } from "@petstore/store-testkit/vitest"
import { place } from "./support/Databases.ts"

durableKeySuite("PostgresApiKeyStore", place)
