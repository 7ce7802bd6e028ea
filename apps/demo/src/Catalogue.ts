/** The catalogue, as callers read it. */
import * as Schema from "effect/Schema"
import * as Http from "./Http.ts"
import { key } from "./Replica.ts"

/** A pet. */
export const Pet = Schema.Struct({
  id: Schema.Number,
  name: Schema.String,
  categoryId: Schema.Number,
  status: Schema.optional(Schema.String)
})
/** A pet. */
export type Pet = typeof Pet.Type

const decodePets = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Pet)))

/** The headers of each request. */
export const headers = { authorization: `Bearer ${key}` }

/** The path of the first page. */
export const firstPage = "/v1/pets?limit=100"

/** One page and the path of the next one. Rejects if there is none. */
export const page = async (
  port: number,
  path: string
): Promise<{ readonly pets: ReadonlyArray<Pet>; readonly next: string | undefined }> => {
  const response = await Http.send(port, { method: "GET", path, headers, body: Buffer.of() })
  if (response.status !== 200) {
    throw new Error(`a page of the catalogue was answered with ${response.status}`)
  }
  const next = /^<([^>]+)>; *rel="next"/.exec(String(response.headers["link"]))?.[1]
  return { pets: decodePets(response.body.toString()), next }
}

/** Reads the whole catalogue, page by page. */
export const walk = async (port: number): Promise<ReadonlyArray<Pet>> => {
  const all: Array<Pet> = []
  for (let path: string | undefined = firstPage; path !== undefined; ) {
    const { next, pets } = await page(port, path)
    all.push(...pets)
    path = next
  }
  return all
}
