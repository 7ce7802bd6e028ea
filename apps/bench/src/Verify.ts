/** Speed counts only where the answers are right, so every server is asked once before the run. */
import assert from "node:assert/strict"
import { type Answer, nextPath, request } from "./Client.ts"
import type { Running } from "./Process.ts"
import { floor } from "./Servers.ts"

interface Pet {
  readonly id: number
  readonly status?: string
}

/** Throws what is wrong with the first wrong answer. */
export const verify = async ({ origin, server }: Running): Promise<void> => {
  const ask = (path: string, key?: string) =>
    request(origin, { method: "GET", path, body: "" }, key)
  const post = (body: string) => request(origin, { method: "POST", path: "/v1/pets", body })
  try {
    petsOf(await ask("/v1/pets?limit=20"), 20)
    if (server.name === floor) return

    const first = await ask("/v1/pets")
    const second = await ask(nextPath(first) ?? "/there-is-no-next-link")
    const ids = [...petsOf(first, 20), ...petsOf(second, 20)].map(({ id }) => id)
    assert.deepEqual(
      ids,
      [...Array(40).keys()].map((index) => index + 1)
    )

    const available = await ask("/v1/pets?limit=20&status=available")
    const more = await ask(nextPath(available) ?? "/there-is-no-next-link")
    for (const pet of [...petsOf(available, 20), ...petsOf(more, 20)]) {
      assert.equal(pet.status, "available")
    }
    petsOf(await ask("/v1/pets?limit=100"), 100)

    const newPet = { name: "Zoë 🐈", categoryId: 9007199254740991, status: "sold" }
    const created = await post(JSON.stringify(newPet))
    assert.equal(created.status, 201)
    const { id } = created.body as Pet
    assert.deepEqual(created.body, { id, ...newPet })
    assert.deepEqual((await ask(`/v1/pets/${id}`)).body, created.body)
    assert.deepEqual((await ask("/v1/pets/9")).body, { id: 9, name: "Animal 9", categoryId: 10 })

    refused(await ask("/v1/pets", "not-a-key"), 401)
    refused(await ask("/v1/pets/123456789"), 404)
    for (const query of ["limit=0", "limit=101", "limit=x", "status=lost", "cursor=!"]) {
      refused(await ask(`/v1/pets?${query}`), 400)
    }
    for (const body of ["{", "{}", '{"name":"Rex"}', '{"name":"Rex","categoryId":1.5}']) {
      refused(await post(body), 400)
    }
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    throw new Error(`${server.title} does not answer as the interface says: ${what}`)
  }
}

const petsOf = ({ status, body }: Answer, count: number): ReadonlyArray<Pet> => {
  assert.equal(status, 200)
  assert.ok(Array.isArray(body), "a list is not an array")
  assert.equal(body.length, count)
  for (const pet of body as ReadonlyArray<object>) {
    const fields = ["id", "name", "categoryId", ...("status" in pet ? ["status"] : [])]
    assert.deepEqual(Object.keys(pet), fields)
  }
  return body as ReadonlyArray<Pet>
}

const refused = ({ status, body }: Answer, expected: number): void => {
  assert.equal(status, expected)
  assert.deepEqual(Object.keys(body as object).toSorted(), ["code", "message", "status"])
  assert.equal((body as { status: number }).status, expected)
}
