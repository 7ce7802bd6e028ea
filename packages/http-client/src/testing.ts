/** The service in memory, behind a `fetch`, for the tests of callers: no socket, no database. The build bundles it. */
import * as Domain from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import { prefix, scopes } from "@petstore/http-pets/PetStoreApi"
import { errors } from "@petstore/http-pets/PetStoreErrors"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import { Authentication } from "@petstore/http-transport/Authentication"
import * as WebHandler from "@petstore/http-transport/WebHandler"
import * as MemoryStores from "@petstore/store-memory/MemoryStores"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ErrorCode } from "./Errors.ts"
import * as Checks from "./internal/Checks.ts"
import { type NewPet, petFields } from "./Pet.ts"

/** What a fake has and accepts. */
export interface FakeOptions {
  /** Its address; a path is one of a proxy before it. */
  readonly baseUrl?: string | undefined
  /** Pets that are there at first; their ids are 1, 2, and so on. */
  readonly pets?: ReadonlyArray<NewPet> | undefined
  /** The keys that are accepted, and what each may do; by default any key, which may do all. */
  readonly apiKeys?: Readonly<Record<string, ReadonlyArray<"pets:read" | "pets:write">>> | undefined
}

/** A request that the fake got. */
export interface SeenRequest extends Pick<Request, "method" | "url" | "headers"> {
  readonly body: string
}

/** A Pet Store in memory. Clients take it as their options: `createPetStore(fake)`. */
export interface FakePetStore {
  readonly baseUrl: string
  /** A key that it accepts, the first of `apiKeys`. */
  readonly apiKey: string
  /** Answers as the service does. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** The requests that it got, from the first. */
  readonly requests: ReadonlyArray<SeenRequest>
  /**
   * Makes the next requests fail: one, unless more are asked for. Those that are `timed_out` get no answer, and fail
   * when their caller aborts them. Nothing is stored.
   */
  readonly failNext: (code: ErrorCode | "network_failure" | "timed_out", times?: number) => void
}

/** Makes a new store; throws if a pet is invalid. */
export const createFakePetStore = ({
  apiKeys,
  baseUrl = "http://pets.test",
  pets = []
}: FakeOptions = {}): FakePetStore => {
  const seeds = pets.map((pet) => decodePet(checkPet("the pet", pet)))
  const path = new URL(baseUrl).pathname.replace(/(?<!\/)\/+$/, "").replace(/\/v1$/, "")
  const stores = Layer.tap(MemoryStores.layer, (stores) =>
    Effect.forEach(seeds, Context.get(stores, PetStore).add)
  )
  const granted = new Map(Object.entries(apiKeys ?? {}))
  const handler = WebHandler.make(
    PetStoreServer.api({ ...PetStoreServer.defaults, basePath: path + prefix }),
    Layer.merge(
      Layer.provide(Pets.layer, stores),
      Layer.succeed(Authentication, {
        authenticate: (key) => {
          const allowed = apiKeys === undefined ? scopes : granted.get(key)
          return allowed === undefined
            ? Effect.fail({ reason: "unknown" })
            : Effect.succeed({ digest: key, scopes: allowed })
        },
        isReady: () => true
      })
    )
  )
  const failures: Array<Parameters<FakePetStore["failNext"]>[0]> = []
  const requests: Array<SeenRequest> = []
  return {
    baseUrl,
    apiKey: granted.keys().next().value ?? "fake",
    requests,
    failNext: (code, times = 1) => {
      for (let n = 0; n < times; n++) failures.push(code)
    },
    fetch: async (...given) => {
      const request = new Request(...given)
      const { headers, method, signal, url } = request
      const body = await request.clone().text()
      signal.throwIfAborted()
      requests.push({ method, url, headers, body })
      const failure = failures.shift()
      if (failure === "network_failure")
        throw new TypeError("fetch failed", { cause: new Error("made to fail") })
      if (failure === "timed_out")
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason))
        })
      if (failure !== undefined) return refuse(failure, headers)
      const { origin, pathname, search } = new URL(url)
      // As a proxy does.
      const target = pathname.startsWith(`${path}/`) ? pathname.slice(path.length) : "/nothing"
      return handler(new Request(`${origin}${target}${search}`, request))
    }
  }
}

/** As the client checks what it adds: a status may be undefined. */
const checkPet = Checks.struct(petFields)
const decodePet = Schema.decodeUnknownSync(Domain.NewPet)

const refuse = (code: ErrorCode, headers: Headers): Response => {
  const body = errors.make(code, "made to fail")
  return Response.json(body, {
    status: body.status,
    headers: {
      "cache-control": "no-store",
      ...([429, 503].includes(body.status) ? { "retry-after": "1" } : {}),
      "x-content-type-options": "nosniff",
      "x-request-id": headers.get("x-request-id") ?? crypto.randomUUID()
    }
  })
}
