/** The API keys of the environment or, when it names none, one that is made up at start. */
import { randomBytes } from "node:crypto"
import * as ApiKeys from "@petstore/domain/ApiKeys"
import { prefix } from "@petstore/http-contract/PetStoreApi"
import * as Authentication from "@petstore/http-server/Authentication"
import { HttpListener } from "@petstore/http-server/HttpListener"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** These keys, with every scope; or a new one, shown once with a line to try it. */
export const layer = (
  configured: Option.Option<ReadonlyArray<Redacted.Redacted>>
): Layer.Layer<ApiKeys.ApiKeys, never, HttpListener> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      if (Option.isSome(configured)) return layerOf(configured.value)
      const key = `pet_${randomBytes(24).toString("hex")}`
      const { url } = yield* HttpListener
      yield* Console.error(invitation(key, url))
      return layerOf([Redacted.make(key)])
    })
  )

const layerOf = (keys: ReadonlyArray<Redacted.Redacted>) =>
  ApiKeys.layer(
    keys.map((key) => ({
      digest: Authentication.digest(Redacted.value(key)),
      scopes: ApiKeys.allScopes
    }))
  )

/** For the person at the terminal; it goes beside the log, not into it. */
const invitation = (key: string, url: string) => `
PETSTORE_API_KEYS is not set, so a key was made for this run:

  ${key}

Try it:

  curl -H 'Authorization: Bearer ${key}' ${url}${prefix}/pets
`
