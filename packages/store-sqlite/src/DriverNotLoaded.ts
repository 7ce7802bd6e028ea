/** The error of a driver that Node cannot load. */
import * as Data from "effect/Data"

/** better-sqlite3 is missing, or has no binary for this machine. The cause of a `StoreUnavailable`. */
export class DriverNotLoaded extends Data.TaggedError("DriverNotLoaded")<{
  readonly cause: Error
}> {
  override get message() {
    if ("code" in this.cause && this.cause.code === "ERR_MODULE_NOT_FOUND") {
      return "better-sqlite3 is not installed: run npm install better-sqlite3, or set DATABASE_URL to another database"
    }
    return `better-sqlite3 has no binary that Node ${process.version} can load on ${process.platform}-${process.arch}: install it again, or set DATABASE_URL to another database`
  }
}
