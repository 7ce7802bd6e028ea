/** Lists by pages: the parameter `limit`, and the header `Link` with a cursor. */
import * as Schema from "effect/Schema"
import type { SuccessHeader } from "./Annotations.ts"
import * as Cursor from "./Cursor.ts"
import type { Headers } from "./internal/exchange/Reply.ts"

/** The sizes of pages, and what is on them, such as `books`. */
export interface Limits {
  readonly initial: number
  readonly max: number
  readonly items: string
}

/** `limit` in a query: plain digits, from 1 to the maximum, as this schema has them. */
export const limit = <A extends number>(
  size: Schema.Schema<A, number>,
  { initial, items, max }: Limits & { readonly initial: A }
) =>
  Schema.optionalWith(
    Schema.String.pipe(
      Schema.pattern(/^[1-9][0-9]*$/),
      Schema.parseNumber,
      Schema.compose(Schema.Number.pipe(Schema.between(1, max))),
      Schema.compose(size)
    ).annotations({
      message: () => ({ message: `must be a whole number from 1 to ${max}`, override: true }),
      jsonSchema: {
        ...{ type: "integer", minimum: 1, maximum: max, default: initial },
        description: `Maximum number of ${items} to return; ${initial} by default`,
        examples: [Math.ceil(max / 2)]
      }
    }),
    { exact: true, default: () => initial }
  )

/** `cursor` in a query of a list by this id. */
export const cursor = <A extends bigint, I>(id: Schema.Schema<A, I>) =>
  Schema.optionalWith(Cursor.of(id), { exact: true })

/** What a list was asked for: the parameters of its endpoint, as its handler has them. */
export interface Query {
  readonly limit: number
  readonly cursor?: bigint
}

/** What a parameter of a list may be. */
export type Parameter = bigint | boolean | number | string | undefined

/**
 * The header `Link` of a page of a list by ascending id: the next page or, after the last one, where items that are added
 * later appear (`current` of RFC 5005). `last` is the id of the last item, if there is one. Ids must ascend in the order of
 * addition, as UUIDs of version 7 do: an item that gets a lower id than one already listed is missed.
 */
export const link = <Q extends Query>(
  path: string,
  query: Q & { readonly [Name in keyof Q]: Parameter },
  { hasNext, last = query.cursor }: { readonly hasNext: boolean; readonly last: bigint | undefined }
): Headers => {
  if (last === undefined) return none
  let target = `${path}?limit=${query.limit}`
  for (const [name, value] of Object.entries<Parameter>(query)) {
    if (name === "limit" || name === "cursor" || value === undefined) continue
    target += `&${name}=${encodeURIComponent(String(value))}`
  }
  const relation = hasNext ? "next" : "current"
  return [["Link", `<${target}&cursor=${Cursor.encode(last)}>; rel="${relation}"`]]
}

const none: Headers = []

/** The header `Link` in the OpenAPI document, with an example at this path. */
export const linkHeader = (path: string, { initial, items }: Limits): SuccessHeader => ({
  description: `The next page (\`rel="next"\`), or on the last one where later ${items} appear (\`rel="current"\`)`,
  example: `<${path}?limit=${initial}&cursor=${Cursor.encode(20n)}>; rel="next"`,
  required: false
})
