import { durableKeySuite, sharedSuite } from "@petstore/store-testkit/vitest"
import * as RightKeyStore from "./RightKeyStore.ts"
import * as RightStore from "./RightStore.ts"

// These have all laws. The stores in memory are tested by `suite` and `keySuite`, the example of a store by `durableSuite`.
sharedSuite("a right store that lasts and others share", RightStore.place)

durableKeySuite("a right store of keys that lasts", RightKeyStore.place)
