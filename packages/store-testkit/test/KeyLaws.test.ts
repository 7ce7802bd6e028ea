import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { durableLaws, laws } from "@petstore/store-testkit/KeyLaws"
import { Effect, Layer } from "effect"
import { testLaws } from "./LawTests.ts"
import { wrongKeys } from "./wrongKeys.ts"

const failure = new StoreUnavailable({ reason: "busy" })
const fail = () => Effect.fail(failure)

testLaws({
  laws: [...laws, ...durableLaws],
  wrongStores: wrongKeys,
  failing: {
    place: Effect.succeed(
      Layer.succeed(ApiKeyStore, {
        list: Effect.fail(failure),
        changes: fail,
        add: fail,
        addFirst: fail,
        merge: fail,
        revoke: fail,
        replace: fail,
        noteUses: fail
      })
    ),
    failure
  },
  dying: {
    place: Effect.succeed(Layer.effect(ApiKeyStore, Effect.dieMessage("no such disk"))),
    message: "no such disk"
  }
})
