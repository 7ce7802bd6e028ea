/** Calls a service with the promise form of the client, in Node and in a browser. */
import {
  createPetStore,
  isPetStoreError,
  type Pet,
  reportDeprecations
} from "@petstore/http-client"

/** Adds a pet, finds it again and asks for one that does not exist. Resolves to what it saw, as JSON. */
export const calls = async (baseUrl: string, apiKey: string, name: string): Promise<string> => {
  const deprecated: Array<string> = []
  const { pets } = createPetStore({
    baseUrl,
    apiKey,
    onResponse: reportDeprecations(({ operation }) => deprecated.push(operation))
  })
  const created = await pets.add({ name, categoryId: 9007199254740993n, status: "sold" })
  const listed: Array<Pet> = []
  for await (const pet of pets.list({ limit: 1 })) listed.push(pet)
  const got = await pets.get(created.id)
  const failure = await pets.get(1).catch((error: unknown) => error)
  const code = isPetStoreError(failure) ? failure.code : undefined
  return JSON.stringify({ created, listed, got, code, deprecated }, (_, value) =>
    typeof value === "bigint" ? String(value) : value
  )
}
