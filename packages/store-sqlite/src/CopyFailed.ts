/** The error of backups and restores. Of its own: others read its declaration, which must not name the types of the driver. */
import * as Data from "effect/Data"

/** A database was not copied or not restored because of this file. */
export class CopyFailed extends Data.TaggedError("CopyFailed")<{
  /** `log-left`: there is no database, but the log of one, which SQLite would apply to the restored file. */
  readonly reason: "exists" | "in-use" | "log-left" | "unusable" | "unwritable"
  readonly file: string
  /** Why a backup is unusable or a copy unwritable. */
  readonly cause?: unknown
}> {
  override get message() {
    const why = this.cause instanceof Error ? this.cause.message : this.cause
    const messages = {
      exists: "exists already",
      "in-use": "is open in another process",
      "log-left": "is left from another database",
      unusable: `cannot be restored: ${why}`,
      unwritable: `cannot be written (${why})`
    }
    return `${this.file} ${messages[this.reason]}`
  }
}
