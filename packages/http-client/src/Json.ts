/** JSON with exact integers: `JSON.stringify` refuses a `bigint`, and `JSON.parse` rounds what a `number` cannot hold. */

/** TypeScript does not declare it yet. */
const json: JSON & { readonly rawJSON?: (text: string) => unknown } = JSON

/** Integers, of as many digits as those of 64 bits may have. */
const integer = /^-?\d{1,19}$/

/** As `JSON.stringify`, but a `bigint` becomes a number with all its digits. */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === "bigint" ? (json.rawJSON?.(String(part)) ?? part) : part
  ) ?? "null"

/**
 * As `JSON.parse`, but each integer becomes a `bigint`, unless it has more than 19 digits. As there, the type is what
 * the caller expects: it is not checked.
 */
export const parse = <A = unknown>(text: string): A => parseSome(text, () => true)

/** As `parse`, but only the integers that `isExact` selects become a `bigint`. @internal */
export const parseSome = <A>(text: string, isExact: (nearest: unknown) => boolean): A =>
  JSON.parse(text, (_, part, { source = "" }: { readonly source?: string } = outdated()) =>
    integer.test(source) && isExact(part) ? BigInt(source) : part
  )

/** Rather than rounding an id to that of another pet. */
const outdated = (): never => {
  throw new TypeError("JSON.parse gives no digits")
}
