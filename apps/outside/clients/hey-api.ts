/** Calls through the functions that Hey API generates. */
import { createClient } from "./generated/hey-api/client/index.ts"
import { createPet, getPet, listPets } from "./generated/hey-api/index.ts"

const [baseUrl = "", key = "", name = ""] = process.argv.slice(2)
const client = createClient({ baseUrl, auth: key })

const body = { name, categoryId: 7, status: "sold" } as const
const created = await createPet({ client, body })
const got = await getPet({ client, path: { petId: created.data?.id ?? 0 } })
const listed = await listPets({ client, query: { limit: 100, status: "sold" } })
const refused = await listPets({ client: createClient({ baseUrl, auth: "wrong" }) })
const report = { created: created.data, got: got.data, listed: listed.data, refused: refused.error }
process.stdout.write(JSON.stringify(report))

/** Not called: it only has to be refused by the compiler. */
export const misspelled = () =>
  // @ts-expect-error: there is no such property
  createPet({ client, body: { name, categoryId: 7, staus: "sold" } })
