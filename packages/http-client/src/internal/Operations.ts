/** The operations of the contract: what to send, and how to read the answer. */
import type { Idempotency } from "../Options.ts"
import { type ListQuery, type NewPet, type Page, type Pet, petStatuses } from "../Pet.ts"
import * as Checks from "./Checks.ts"
import * as PetJson from "./PetJson.ts"

/** One operation with its inputs. */
export interface Operation<A> {
  /** Its `operationId`. */
  readonly name: string
  /** Relative to the address of the service. */
  readonly path: string
  /** GET if there is none. */
  readonly method?: string
  readonly json?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Reads a successful answer; throws if it is not one of this operation. */
  readonly decode: (body: unknown, link: string) => A
}

/** One page of pets. `seen` has where the earlier pages of a walk started. */
export const listPets = (query: ListQuery, seen = new Set<string>()): Operation<Page> => {
  const { after, limit, status } = Checks.fields("the query", query)
  const parameters = new URLSearchParams()
  if (limit !== undefined) parameters.set("limit", String(Checks.between("limit", limit, 1, 100)))
  if (status !== undefined) parameters.set("status", Checks.oneOf("status", status, petStatuses))
  if (after !== undefined) {
    const cursor = Checks.matching("after", after, /./, "the next of a page")
    parameters.set("cursor", cursor)
    seen.add(cursor)
  }
  return {
    name: "listPets",
    path: `/pets?${parameters}`,
    decode: (body, link) => {
      const page = decodePage(body, link)
      // Otherwise a walk over all pages would never end.
      if (page.next !== undefined && seen.has(page.next))
        throw new Error("the next page must not be an earlier one")
      return page
    }
  }
}

const createPet = (pet: NewPet, { idempotencyKey }: Idempotency): Operation<Pet> => {
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
    json: PetJson.encode(PetJson.check(pet)),
    headers: { "content-type": "application/json", "idempotency-key": `"${key}"` },
    decode: PetJson.decode
  }
}

const getPet = (id: bigint | number): Operation<Pet> => ({
  name: "getPet",
  path: `/pets/${Checks.int64("id", id)}`,
  decode: PetJson.decode
})

/** The table of operations besides lists, by resource. Both forms of the client have a method for each. */
export interface Operations {
  readonly pets: {
    /** Adds a pet. Each call is a new create and may add another pet, unless `idempotencyKey` is given. */
    readonly create: (pet: NewPet, options: Idempotency) => Operation<Pet>
    /**
     * Gets a pet by its id.
     *
     * @deprecated The service removes this operation on 5 December 2030: list pets instead.
     */
    readonly get: (id: bigint | number) => Operation<Pet>
  }
}

const operations: Operations = { pets: { create: createPet, get: getPet } }

type Make = (input: unknown, options: object) => Operation<unknown>

/** A method for each operation, which calls what its input and options make. */
export const methodsOf = <Methods>(
  call: (makeOperation: () => Operation<unknown>, options?: object) => unknown
): Methods => {
  const methods: Record<string, Record<string, unknown>> = {}
  for (const [resource, all] of Object.entries(operations)) {
    const own: Record<string, unknown> = {}
    for (const [name, make] of Object.entries<Make>(all))
      own[name] = (input: unknown, options = {}) => call(() => make(input, options), options)
    methods[resource] = own
  }
  // Its methods have the types of the operations that they call.
  return methods as Methods
}

/** Not `randomUUID`, which browsers have on secure pages only. */
const randomKey = (): string =>
  crypto
    .getRandomValues(new Uint8Array(16))
    .reduce((text, byte) => text + (byte + 256).toString(16).slice(1), "")

const decodePage = (body: unknown, link: string): Page => {
  if (!Array.isArray(body)) throw new Error("the answer must be an array")
  const [, target] = /<([^<>]*)>; *rel="?next/.exec(link) ?? []
  return {
    pets: body.map(PetJson.decode),
    // Only the cursor: the service may not know the address that it is reached by.
    next: target === undefined ? undefined : cursorOf(target)
  }
}

const cursorOf = (target: string): string =>
  Checks.matching(
    "the next page",
    new URL(target, "http://localhost").searchParams.get("cursor"),
    /./,
    "a cursor"
  )
