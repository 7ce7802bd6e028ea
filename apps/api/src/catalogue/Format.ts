/** What a file format must do. */
import type { Pet } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import type { Line } from "./Lines.ts"

/** An invalid record. */
export interface BadLine {
  readonly place: number
  readonly reason: string
  /** Whether the rest of the file cannot be read. */
  readonly isFatal?: boolean
}

/** Reads the lines of one file; a record may span several lines. */
export interface Reader {
  readonly push: (line: Line) => Arrival | BadLine | undefined
  /** The problem, if the file ends in an incomplete record. */
  readonly end: () => BadLine | undefined
}

/** A file format. */
export interface Format {
  readonly header: string
  /** A pet, with its line break. */
  readonly write: (pet: Pet) => string
  readonly read: () => Reader
}
