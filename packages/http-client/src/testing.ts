/** A Pet Store in memory, for the tests of callers: no server, no network. */
import type { ErrorCode } from "./Errors.ts"
import { parse } from "./internal/Json.ts"
import * as PetJson from "./internal/PetJson.ts"
import type { Fetch, FetchInit, Options } from "./Options.ts"
import type { Pet } from "./Pet.ts"
import { createPetStore, type PetStore } from "./PetStore.ts"

/** The status of each code of the contract. */
export const errorStatuses = {
  malformed_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  pet_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503
} as const satisfies Readonly<Record<ErrorCode, number>>

/** A client of a Pet Store in memory. */
export interface FakePetStore extends PetStore {
  /** Answers as the service does: the `fetch` of other clients of this store, such as one with Effect. */
  readonly fetch: Fetch
  /** Makes the next requests fail with this code: one, unless more are asked for. */
  readonly failNext: (code: ErrorCode, times?: number) => void
}

/** Makes a client of a new, empty store. It does not retry, unless `retries` says so. */
export const makeFakePetStore = (options: Omit<Partial<Options>, "fetch"> = {}): FakePetStore => {
  const failures: Array<ErrorCode> = []
  const answer = makeStore()
  const fetch: Fetch = async (url, init) => {
    init.signal.throwIfAborted()
    const failure = failures.shift()
    return failure === undefined ? answer(new URL(url), init) : refuse(failure, "made to fail")
  }
  const defaults = { baseUrl: "http://pets.test", apiKey: "fake", retries: 0 }
  return {
    ...createPetStore({ ...defaults, ...options, fetch }),
    fetch,
    failNext: (code, times = 1) => {
      for (let n = 0; n < times; n++) failures.push(code)
    }
  }
}

/** The three operations on pets in memory. */
const makeStore = () => {
  const pets: Array<Pet> = []
  const created = new Map<string, { readonly json: string; readonly answer: string }>()

  // The client has checked its inputs, except where to continue.
  const list = (query: URLSearchParams) => {
    const cursor = query.get("cursor") ?? "0"
    if (!/^\d+$/.test(cursor))
      return refuse("invalid_parameter", "cursor must be the next of a page")
    const status = query.get("status")
    const found = pets.filter(
      (pet) => pet.id > BigInt(cursor) && (status === null || pet.status === status)
    )
    const page = found.slice(0, Number(query.get("limit") ?? 20))
    const next = page.length < found.length ? page.at(-1)?.id : undefined
    return reply(200, `[${page.map(PetJson.encode)}]`, {
      ...(next !== undefined && { link: `</v1/pets?cursor=${next}>; rel="next"` })
    })
  }

  const create = ({ body, headers }: FetchInit) => {
    const json = body ?? ""
    const key = headers.get("idempotency-key") ?? ""
    const known = created.get(key)
    if (known !== undefined && known.json !== json) {
      return refuse("idempotency_key_reused", "the key was used with another body")
    }
    if (known !== undefined) return reply(201, known.answer)
    const pet = PetJson.petOf(BigInt(pets.length + 1), PetJson.check(parse(json)))
    const answer = PetJson.encode(pet)
    pets.push(pet)
    created.set(key, { json, answer })
    return reply(201, answer)
  }

  const get = (id: string) => {
    const pet = pets.find((pet) => String(pet.id) === id)
    return pet === undefined
      ? refuse("pet_not_found", `there is no pet ${id}`, deprecated)
      : reply(200, PetJson.encode(pet), deprecated)
  }

  return ({ pathname, searchParams }: URL, init: FetchInit): Response => {
    const [, id] = /\/pets\/([^/]*)$/.exec(pathname) ?? []
    if (id !== undefined) return get(id)
    return init.method === "POST" ? create(init) : list(searchParams)
  }
}

const deprecated = { deprecation: "@1794614400", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" }

const reply = (status: number, body: string, headers: Record<string, string> = {}) =>
  new Response(body, {
    status,
    headers: { ...headers, "content-type": "application/json", "x-request-id": "fake" }
  })

const refuse = (code: ErrorCode, message: string, headers?: Record<string, string>) => {
  const status = errorStatuses[code]
  return reply(status, JSON.stringify({ code, message, status }), headers)
}
