/** Texts that every store can keep as they are. */
import * as Schema from "effect/Schema"

/** Whether a value is a {@link Text}; faster than the schema. */
export const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && isStorable(value)

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** The same for JSON Schema, with and without the flag `u`: without it, a pair of surrogates is two characters. */
const pattern = "^(?:[^\\x00\\uD800-\\uDFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])+$"

/** Any text but the empty one, without U+0000 and halves of surrogate pairs. */
export const Text = Schema.String.annotations({ message: () => "must be a string" }).pipe(
  Schema.filter(
    (text) =>
      text === ""
        ? "must not be empty"
        : isStorable(text) || "must not contain U+0000 or lone surrogates",
    {
      jsonSchema: { minLength: 1, pattern },
      // Samples by the pattern would be slow.
      arbitrary: () => (fc) => fc.string({ minLength: 1 })
    }
  )
)
export type Text = typeof Text.Type
