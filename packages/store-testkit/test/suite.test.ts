import { PetStore } from "@petstore/domain/PetStore"
import { durableSuite, suite } from "@petstore/store-testkit"
import { Layer } from "effect"
import * as RightStore from "./RightStore.ts"

suite(
  "a right store in memory",
  Layer.sync(PetStore, () => RightStore.make([]))
)

durableSuite("a right store that lasts", RightStore.place)
