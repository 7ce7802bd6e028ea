/** The operations of the contract: what to send, and how to read the answer. */
import * as Errors from "../Errors.ts"
import { stringify } from "../Json.ts"
import type { Idempotency, Method } from "../Options.ts"
import type { ListQuery, NewPet, Page, Pet } from "../Pet.ts"
import { checkPet, decodePet, petStatuses } from "../Pet.ts"
import * as Checks from "./Checks.ts"

/** The errors that not all operations have, by `operationId`. Calls with Effect are typed by them. */
export const ownErrors = {
  listPets: [Errors.InvalidParameter],
  createPet: [
    Errors.MalformedJson,
    Errors.InvalidBody,
    Errors.PayloadTooLarge,
    Errors.UnsupportedMediaType,
    Errors.IdempotencyKeyReused
  ],
  getPet: [Errors.PetNotFound, Errors.Gone]
} as const

/** The `operationId` of an operation. */
export type OperationName = keyof typeof ownErrors

/** One operation with its inputs. */
export interface Operation<A, Name extends OperationName = OperationName> {
  /** Its `operationId`. */
  readonly name: Name
  /** Relative to the address of the service. */
  readonly path: string
  /** GET if there is none. */
  readonly method?: Method
  readonly body?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Reads a successful answer; throws if it is not one of this operation. */
  readonly decode: (body: unknown, link: string) => A
}

const queryFields: { readonly [Name in keyof ListQuery]-?: Checks.Check<string> } = {
  limit: Checks.optional((name, value) => String(Checks.between(name, value, 1, 100))),
  status: Checks.optional((name, value) => Checks.oneOf(name, value, petStatuses)),
  after: Checks.optional((name, value) => Checks.matching(name, value, /./, "the next of a page"))
}

/** One page of pets. `seen` has where the earlier pages of a walk started. */
export const listPets = (
  query: ListQuery,
  seen = new Set<string>()
): Operation<Page, "listPets"> => {
  const { after, ...parameters } = Checks.checked("the query", queryFields, query)
  if (after !== undefined) {
    parameters["cursor"] = after
    seen.add(after)
  }
  return {
    name: "listPets",
    path: `/pets?${new URLSearchParams(parameters)}`,
    decode: (body, link) => {
      if (!Array.isArray(body)) return Checks.refuse("the answer", "must be an array")
      const pets = body.map(decodePet)
      const next = nextOf(link)
      // Otherwise a walk over all pages would never end.
      if (next !== undefined && seen.has(next))
        Checks.refuse("the next page", "must not be an earlier one")
      return { pets, next }
    }
  }
}

/** Where the next page starts. Only its cursor: the service may not know the address that it is reached by. */
const nextOf = (link: string): string | undefined => {
  const [, target] = /<([^<>]*)>; *rel="?next/.exec(link) ?? []
  if (target === undefined) return undefined
  const cursor = new URLSearchParams(target.split("?")[1]).get("cursor")
  return Checks.matching("the next page", cursor, /./, "a cursor")
}

/** The table of operations besides lists, by resource. Both forms of the client have a method for each. */
const operations = {
  pets: {
    /** Adds a pet. Each call is a new create and may add another pet, unless `idempotencyKey` is given. */
    create: (pet: NewPet, { idempotencyKey }: Idempotency): Operation<Pet, "createPet"> => {
      const key = Checks.matching(
        "idempotencyKey",
        idempotencyKey ?? randomKey(),
        /^[!#-[\]-~]{1,255}$/,
        '1 to 255 visible ASCII characters without " and \\'
      )
      return {
        name: "createPet",
        path: "/pets",
        method: "POST",
        body: stringify(checkPet(pet)),
        headers: { "content-type": "application/json", "idempotency-key": `"${key}"` },
        decode: decodePet
      }
    },
    /**
     * Gets a pet by its id.
     *
     * @deprecated The service removes this operation on 5 December 2030: list pets instead.
     */
    get: (id: bigint | number): Operation<Pet, "getPet"> => ({
      name: "getPet",
      path: `/pets/${Checks.int64("id", id)}`,
      decode: decodePet
    })
  }
}

/** Not `randomUUID`, which browsers have on secure pages only. */
const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-")

/** The types of the operations, of which those of the methods are made. */
export type Operations = typeof operations

/** A method for each operation, which calls what its input and options make. */
export const methodsOf = <Methods>(
  call: (makeOperation: () => Operation<unknown>, options?: object) => unknown
): Methods => {
  const methods: Record<string, Record<string, unknown>> = {}
  for (const [resource, all] of Object.entries(operations)) {
    methods[resource] = {}
    for (const [name, make] of Object.entries<Make>(all))
      methods[resource][name] = (input: never, options = {}) =>
        call(() => make(input, options), options)
  }
  // Its methods have the types of the operations that they call.
  return methods as Methods
}

type Make = (input: never, options: object) => Operation<unknown>
