/** Of its own: others read its declaration, which must not name the types of the driver. */
import * as Data from "effect/Data"

/** The copy cannot be written. */
export class CopyUnwritable extends Data.TaggedError("CopyUnwritable")<{
  readonly to: string
  readonly cause: unknown
}> {
  override get message() {
    return `${this.to} cannot be written (${this.cause instanceof Error ? this.cause.message : this.cause})`
  }
}
