/** The operations of the fake, on pets in memory. */
import { stringify } from "../Json.ts"
import { checkPet, type NewPet, type Pet, petFields } from "../Pet.ts"
import { between, type Check, matching, optional } from "./Checks.ts"
import { answer, refuse } from "./FakeAnswer.ts"
import { type Call, isId, problemsOf, type Route, readBody, readKey } from "./FakeRequest.ts"

const queryFields: Readonly<Record<string, Check>> = {
  limit: optional((name, value) =>
    String(between(name, /^[1-9]\d*$/.test(String(value)) ? Number(value) : value, 1, 100))
  ),
  status: petFields.status,
  cursor: optional((name, value) =>
    matching(name, value, /^after-\d+$/, "a cursor taken from a Link header")
  )
}

/** The operations of a store that has these pets at first; `root` is the path of the API. */
export const makePets = (root: string, seeds: ReadonlyArray<NewPet>): ReadonlyArray<Route> => {
  const pets: Array<Pet> = []
  const created = new Map<string, Pet>()

  const add = (pet: NewPet): Pet => {
    // It was checked: its category is a `bigint`.
    const added = { id: BigInt(pets.length + 1), ...pet } as Pet
    pets.push(added)
    return added
  }
  for (const seed of seeds) add(checkPet(seed))

  const list = ({ query }: Call): Response => {
    const given: Readonly<Record<string, string>> = Object.fromEntries(query)
    const problems = problemsOf(queryFields, given, (name) => query.getAll(name).length > 1)
    if (problems !== "") return refuse("invalid_parameter", problems)
    const { cursor = "after-0", limit = 20, status } = given
    const found = pets.filter(
      (pet) => pet.id > BigInt(String(cursor).slice(6)) && (pet.status === status || !status)
    )
    const page = found.slice(0, Number(limit))
    const filter = status === undefined ? "" : `&status=${status}`
    const last = page.at(-1)
    const after = last === undefined ? given["cursor"] : `after-${last.id}`
    const relation = page.length < found.length ? "next" : "current"
    const link = `<${root}/pets?limit=${limit}${filter}&cursor=${after}>; rel="${relation}"`
    return answer(200, stringify(page), after === undefined ? {} : { link })
  }

  const create = async ({ apiKey, request }: Call): Promise<Response> => {
    const key = readKey(request)
    if (key instanceof Response) return key
    const body = await readBody(request)
    if (body instanceof Response) return body
    const problems = problemsOf(petFields, body)
    if (problems !== "") return refuse("invalid_body", problems)
    const pet = checkPet(body)
    const name = `${apiKey} ${key}`
    const known = key === undefined ? undefined : created.get(name)
    if (known !== undefined && stringify(checkPet(known)) !== stringify(pet)) {
      const what = "this Idempotency-Key was used with another body"
      return refuse("idempotency_key_reused", `${what}: use a new one for another pet`)
    }
    const added = known ?? add(pet)
    if (key !== undefined) created.set(name, added)
    const location = `${root}/pets/${added.id}`
    const headers = { location, ...(known && { "idempotent-replayed": "true" }) }
    return answer(201, stringify(added), headers)
  }

  const get = ({ id }: Call): Response => {
    const headers = {
      deprecation: "@1794614400",
      sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
      link: `<${root}/pets>; rel="successor-version"`
    }
    if (!isId(id)) return refuse("pet_not_found", "petId must be the id of a pet", headers)
    const pet = pets.find((pet) => String(pet.id) === id)
    return pet === undefined
      ? refuse("pet_not_found", `there is no pet ${id}`, headers)
      : answer(200, stringify(pet), headers)
  }

  return [
    [/^\/v1\/pets$/, { GET: ["pets:read", list], POST: ["pets:write", create] }],
    [/^\/v1\/pets\/([^/]+)$/, { GET: ["pets:read", get] }]
  ]
}
