/** The operations of the contract: what to send, and how to read the answer. */
import type { Idempotency } from "../Options.ts"
import type { ListQuery, NewPet, Page, Pet } from "../Pet.ts"
import * as Checks from "./Checks.ts"
import * as PetJson from "./PetJson.ts"

/** One operation with its inputs. */
export interface Operation<A> {
  /** Its `operationId`. */
  readonly name: string
  /** Relative to the address of the service. */
  readonly path: string
  /** Sent with POST, if there is one. */
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
  const filter = Checks.optionalStatus("status", status)
  if (filter !== undefined) parameters.set("status", filter)
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

/** A new pet. */
export const createPet = (pet: NewPet, { idempotencyKey }: Idempotency): Operation<Pet> => {
  const key = Checks.matching(
    "idempotencyKey",
    idempotencyKey ?? randomKey(),
    /^[!#-[\]-~]{1,255}$/,
    '1 to 255 visible ASCII characters without " and \\'
  )
  return {
    name: "createPet",
    path: "/pets",
    json: PetJson.encode(Checks.newPet(pet, Checks.optionalStatus)),
    headers: { "content-type": "application/json", "idempotency-key": `"${key}"` },
    decode: PetJson.decode
  }
}

/** The pet with an id. */
export const getPet = (id: bigint | number): Operation<Pet> => ({
  name: "getPet",
  path: `/pets/${Checks.int64("id", id)}`,
  decode: PetJson.decode
})

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
