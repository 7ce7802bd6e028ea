/** Calls the service that the arguments name with the Effect form of the client. */
import { layer, PetStoreClient, reportDeprecations } from "@petstore/http-client/effect"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const [, , baseUrl = "", apiKey = "", name = ""] = process.argv

const deprecated: Array<string> = []
const client = layer({
  baseUrl,
  apiKey: Redacted.make(apiKey),
  onResponse: reportDeprecations(({ operation }) => deprecated.push(operation))
})

/** Adds a pet, finds it again and asks for one that does not exist. Succeeds with what it saw, as JSON. */
const calls = Effect.gen(function* () {
  const { pets } = yield* PetStoreClient
  const created = yield* pets.add({ name, categoryId: 9007199254740993n, status: "sold" })
  const listed = yield* Stream.runCollect(pets.stream({ limit: 1 }))
  const got = yield* pets.get(created.id)
  const code = yield* Effect.catchTag(pets.get(1), "PetNotFound", ({ code }) =>
    Effect.succeed(code)
  )
  return JSON.stringify({ created, listed: [...listed], got, code, deprecated }, (_, value) =>
    typeof value === "bigint" ? String(value) : value
  )
})

process.stdout.write(await Effect.runPromise(Effect.provide(calls, client)))
