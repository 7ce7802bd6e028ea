/** The stock server of the same contract, as an oracle: what both accept, both answer alike. */
import { createServer } from "node:http"
import {
  HttpApi,
  HttpApiBuilder,
  HttpApp,
  HttpServer,
  type HttpServerError,
  HttpServerResponse
} from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { ApiKeys } from "@petstore/access/ApiKeys"
import { digest } from "@petstore/access/NodeKeyMaker"
import * as PetHandlers from "@petstore/http-pets/PetHandlers"
import { PetsGroup, prefix } from "@petstore/http-pets/PetStoreApi"
import { Authorization } from "@petstore/http-transport/Authorization"
import * as ErrorBody from "@petstore/http-transport/ErrorBody"
import type * as Handlers from "@petstore/http-transport/Handlers"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Effect, FastCheck, Layer, Redacted, Struct } from "effect"
import { headerOf, nextOf } from "../../http-transport/test/support/Response.ts"
import { connect } from "./support/Conformance.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys, operationOf, type Request, render } from "./support/Request.ts"

const none: Handlers.Headers = []

/** A handler as the stock builder wants it: its headers are set on the way out. */
const adapt =
  <Asked, A, E>(
    handler: (request: Asked) => Effect.Effect<Handlers.Success<A>, Handlers.Failure<E>>
  ) =>
  (request: object) =>
    // What an endpoint does not have, its handler's type still names, as `never`.
    handler(request as Asked).pipe(
      Effect.mapError(({ body }) => body),
      Effect.flatMap(({ body, headers = none }) =>
        HttpApp.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, Object.fromEntries(headers)))
        ).pipe(Effect.as(body))
      )
    )

/** The pets of the contract: other groups have the same rules. */
const api = HttpApi.make("PetStore").add(PetsGroup).prefix(prefix)

const pets = HttpApiBuilder.group(api, "pets", (group) =>
  Effect.map(PetHandlers.make, (handlers) =>
    Struct.keys(handlers)
      .filter((name) => name in PetsGroup.endpoints)
      .reduce(
        // Each handler is of the endpoint of its name.
        (others, name) =>
          others.handle(name as never, adapt(handlers[name] as never) as never) as never,
        group as unknown as HttpApiBuilder.Handlers<never, never, never, never>
      )
  )
)

const authorization = Layer.effect(
  Authorization,
  Effect.map(ApiKeys, ({ authenticate }) =>
    Authorization.of({
      bearer: (key) =>
        authenticate(digest(Redacted.value(key))).pipe(
          Effect.mapError((error) => ErrorBody.make("unauthorized", error.message)),
          Effect.asVoid
        )
    })
  )
)

const stock: Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError> =
  HttpApiBuilder.serve().pipe(
    Layer.provide(HttpApiBuilder.api(api)),
    Layer.provide(pets),
    Layer.provide(authorization),
    Layer.provide(Harness.apiKeys),
    Layer.provide(Harness.useCases),
    Layer.provide(MemoryPetStore.layer),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
  )

/** What both servers must agree on. */
interface Answer {
  readonly status: number
  readonly body: unknown
  readonly location: string | undefined
  readonly next: string | undefined
}

const askStock = (port: number, { body, method = "GET", target }: Request) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}${target}`, {
      method,
      headers: { authorization: `Bearer ${keys.all}`, "content-type": "application/json" },
      ...(body !== undefined && { body })
    })
    return {
      status: response.status,
      body: await response.json(),
      location: response.headers.get("location") ?? undefined,
      next: /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
    }
  })

const { constant, integer, maxSafeInteger, option, record, string } = FastCheck
const status = FastCheck.constantFrom("available", "pending", "sold")

/** Any character of a name: the unit "binary" is the same, but takes a second to prepare. */
const character = integer({ min: 1, max: 0x10f7ff }).map((code) =>
  String.fromCodePoint(code < 0xd800 ? code : code + 0x800)
)

const newPet = record({
  name: string({ unit: character, minLength: 1 }),
  categoryId: FastCheck.oneof(maxSafeInteger(), integer({ min: -9, max: 9 })),
  status: option(status, { nil: undefined }),
  id: option(integer(), { nil: undefined }),
  unknown: option(FastCheck.jsonValue({ maxDepth: 2 }), { nil: undefined })
}).map(
  (pet): Step =>
    () =>
      create(JSON.stringify(pet))
)

/** A list with any of its parameters in any order; the cursor is the last that was given. */
const list = record({
  limit: option(integer({ min: 1, max: 100 }), { nil: undefined }),
  status: option(status, { nil: undefined }),
  cursor: FastCheck.boolean(),
  unknown: option(constant("1"), { nil: undefined }),
  order: FastCheck.shuffledSubarray(["limit", "status", "cursor", "unknown"] as const)
}).map(
  ({ order, ...parameters }): Step =>
    (last) => {
      const given = { ...parameters, cursor: parameters.cursor ? cursorOf(last) : undefined }
      const query = order.flatMap((name) =>
        given[name] === undefined ? [] : [`${name}=${given[name]}`]
      )
      return { target: `/v1/pets?${query.join("&")}` }
    }
)

const follow = constant<Step>((last) => ({ target: last ?? "/v1/pets?limit=3" }))

const get = FastCheck.oneof(
  { weight: 9, arbitrary: integer({ min: 1, max: 150 }) },
  { weight: 1, arbitrary: maxSafeInteger() }
).map(
  (id): Step =>
    () => ({ target: `/v1/pets/${id}` })
)

/** A request, which may depend on the last link that was given. */
type Step = (last: string | undefined) => Request

const cursorOf = (link: string | undefined) => /cursor=([^&]+)/.exec(link ?? "")?.[1]

it.scopedLive(
  "answers hundreds of requests as the stock server does",
  () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = address._tag === "TcpAddress" ? address.port : 0
      const connection = yield* connect
      const steps = FastCheck.sample(FastCheck.oneof(newPet, list, follow, get), {
        numRuns: 400,
        seed: 20_301_205
      })
      const seen = new Map<string, number>()
      let last: string | undefined
      for (const step of steps) {
        const request = step(last)
        yield* connection.send(render(request))
        const response = yield* connection.receive(operationOf(request))
        const ours: Answer = {
          status: response.status,
          body: JSON.parse(response.body),
          location: headerOf(response, "Location"),
          next: nextOf(response)
        }
        const theirs = yield* askStock(port, request)
        expect(ours, JSON.stringify(request)).toEqual(theirs)
        if (request.target.startsWith("/v1/pets?")) last = ours.next
        const kind = `${request.method ?? "GET"} ${ours.status}${ours.next ? " next" : ""}`
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
      }
      for (const kind of ["POST 201", "GET 200", "GET 200 next", "GET 404"]) {
        expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(20)
      }
      // Built afresh, the stock server has a store of its own.
    }).pipe(Effect.provide(Layer.merge(Layer.fresh(stock), Harness.layer()))),
  60_000
)
