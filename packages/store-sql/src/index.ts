/** The columns of both tables. */
export * as Columns from "./Columns.ts"
/** A key as a row. */
export * as KeyRow from "./KeyRow.ts"
/** A pet as a row. */
export * as PetRow from "./PetRow.ts"
