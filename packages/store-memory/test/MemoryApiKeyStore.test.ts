import * as MemoryApiKeyStore from "@petstore/store-memory/MemoryApiKeyStore"
import { keySuite } from "@petstore/store-testkit/vitest"

keySuite("MemoryApiKeyStore", MemoryApiKeyStore.layer)
