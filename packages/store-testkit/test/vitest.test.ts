import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetStore } from "@petstore/domain/PetStore"
import { durableKeySuite, keySuite, sharedSuite, suite } from "@petstore/store-testkit/vitest"
import { Layer } from "effect"
import * as RightKeyStore from "./RightKeyStore.ts"
import * as RightStore from "./RightStore.ts"

suite(
  "a right store in memory",
  Layer.sync(PetStore, () => RightStore.make([]))
)

// It has all laws of `durableSuite`, by which the example of a store is tested.
sharedSuite("a right store that lasts and others share", RightStore.place)

keySuite(
  "a right store of keys in memory",
  Layer.sync(ApiKeyStore, () => RightKeyStore.make({ keys: [] }))
)

durableKeySuite("a right store of keys that lasts", RightKeyStore.place)
