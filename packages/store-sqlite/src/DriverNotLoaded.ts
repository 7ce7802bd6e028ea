/** The error of a driver that Node cannot load. */
import * as Data from "effect/Data"

/** The binary of better-sqlite3 is missing, or for another Node or machine. The cause of a `StoreUnavailable`. */
export class DriverNotLoaded extends Data.TaggedError("DriverNotLoaded")<{
  readonly cause: Error
}> {
  override get message() {
    return `better-sqlite3 cannot be loaded by Node ${process.version}: run npx pnpm rebuild better-sqlite3, or npm rebuild better-sqlite3, with -g if it is installed globally`
  }
}
