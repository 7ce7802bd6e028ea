/** Results without `bigint`, for what only takes JSON: `Response.json`, caches, messages between threads. */
import { mapOperations, type Operation, type Service, type Table } from "./internal/Operation.ts"

/** A value with text for each `bigint`. */
export type TextOf<A> = A extends bigint
  ? string
  : A extends object
    ? A extends Date
      ? A
      : { readonly [Name in keyof A]: TextOf<A[Name]> }
    : A

/** The entry of a table with results of text. */
export type TextEntry<Entry> = Entry extends {
  readonly page: (query: infer Query) => Operation<infer Page, infer Code>
  readonly items: infer Field
}
  ? {
      readonly page: (query: Query) => Operation<TextOf<Page>, Code>
      readonly items: Field
    }
  : Entry extends (...given: infer Given) => Operation<infer A, infer Code>
    ? (...given: Given) => Operation<TextOf<A>, Code>
    : never

/** A table with results of text. */
export type TextTable<Operations extends Table> = {
  readonly [Resource in keyof Operations]: {
    readonly [Name in keyof Operations[Resource]]: TextEntry<Operations[Resource][Name]>
  }
}

/** The same service, whose results have text for each `bigint`. Inputs stay as they are. */
export const textIds = <Operations extends Table>(
  service: Service<Operations>
): Service<TextTable<Operations>> =>
  mapOperations(service, (make) => {
    const operation = make()
    return { ...operation, decode: (...answer) => textOf(operation.decode(...answer)) }
  })

const textOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return value.map(textOf)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, textOf(field)]))
}

/** Whether it is an object that nothing but its fields makes up: no date, for example. */
const isPlain = (value: unknown): value is object =>
  value === Object(value) && Object.getPrototypeOf(value) === Object.prototype
