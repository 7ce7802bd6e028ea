/** The error of a driver that Node cannot load. */
import * as Data from "effect/Data"

/** better-sqlite3 is missing, or its binary is, or is for another Node or machine. The cause of a `StoreUnavailable`. */
export class DriverNotLoaded extends Data.TaggedError("DriverNotLoaded")<{
  readonly cause: Error
}> {
  override get message() {
    if ("code" in this.cause && this.cause.code === "ERR_MODULE_NOT_FOUND") {
      return "better-sqlite3 is not installed: run npm install better-sqlite3, or set DATABASE_URL to another database"
    }
    return `better-sqlite3 cannot be loaded by Node ${process.version}: run npx pnpm rebuild better-sqlite3, or npm rebuild better-sqlite3, with -g if it is installed globally`
  }
}
