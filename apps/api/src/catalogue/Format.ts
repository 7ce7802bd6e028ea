/** How animals are written in files. */
import type { Pet } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import type { Line } from "./Lines.ts"

/** A place that holds no animal, and why. */
export interface BadLine {
  readonly place: number
  readonly reason: string
  /** Whether nothing that follows it can be made sense of. */
  readonly isFatal?: boolean
}

/** Reads the lines of one file; a record may need more than one of them. */
export interface Reader {
  readonly push: (line: Line) => Arrival | BadLine | undefined
  /** What is wrong with a file that ends here. */
  readonly end: () => BadLine | undefined
}

/** A way to write animals. */
export interface Format {
  readonly header: string
  /** An animal, with what ends it. */
  readonly write: (pet: Pet) => string
  readonly read: () => Reader
}
