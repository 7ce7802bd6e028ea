/** Calls through openapi-fetch, with the types of openapi-typescript. */
import createClient from "openapi-fetch"
import type { components, paths } from "./generated/openapi-typescript.ts"

const [baseUrl = "", key = "", name = ""] = process.argv.slice(2)
const clientWith = (key: string) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })
const client = clientWith(key)

const body = { name, categoryId: 7, status: "sold" } as const
const created = await client.POST("/pets", { body })
const petId = created.data?.id ?? 0
const got = await client.GET("/pets/{petId}", { params: { path: { petId } } })
const listed = await client.GET("/pets", { params: { query: { limit: 100, status: "sold" } } })
const refused = await clientWith("wrong").GET("/pets")
const report = { created: created.data, got: got.data, listed: listed.data, refused: refused.error }
process.stdout.write(JSON.stringify(report))

/** The calls are generic, and so do not check for unknown properties themselves; the types do. */
export const misspelled: components["schemas"]["NewPet"] = {
  name,
  categoryId: 7,
  // @ts-expect-error: there is no such property
  staus: "sold"
}
