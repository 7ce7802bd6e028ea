/** Statements and their parts. */

/** A statement. Each connection parses one that has a name only once. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** How long the driver waits for its result, in milliseconds, if not as long as for others. */
  readonly query_timeout?: number
}

/** The columns of fields: `category_id` for `categoryId`. */
export const columnsOf = (names: ReadonlyArray<string>): string =>
  names.join(", ").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The same columns, each with the name of its table. */
export const columnsIn = (table: string, columns: string): string =>
  columns.replaceAll(/\w+/g, `${table}.$&`)
