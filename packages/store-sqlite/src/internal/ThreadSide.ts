/** The inside of a `Thread`. Threads do not load Effect. */
import { parentPort, workerData } from "node:worker_threads"
import * as WriteConnection from "./WriteConnection.ts"

/** The columns of both tables. */
export interface Columns {
  readonly pet: string
  readonly key: string
}

/** A placeholder for each of these columns. */
export const placeholders = (columns: string): string => columns.replaceAll(/\w+/g, "?")

/** Opens the file and executes orders until told to close. What is thrown ends the thread. */
export const serve = <Order, Report>(
  prepare: (
    connection: WriteConnection.WriteConnection,
    columns: Columns
  ) => (order: Order) => Report
): void => {
  const { database, execute } = withCode(() => {
    const connection = WriteConnection.open(workerData)
    return { database: connection.database, execute: prepare(connection, workerData.columns) }
  })
  parentPort?.on("message", (order: Order | "close") => {
    if (order === "close") {
      database.close()
      parentPort?.close()
    } else {
      parentPort?.postMessage(withCode(() => execute(order)))
    }
  })
}

/** An error as data: SQLite's error objects lose their class, message and code between threads. */
export const failureOf = (error: unknown) => ({
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof Error && "code" in error ? String(error.code) : undefined
})
export type Failure = ReturnType<typeof failureOf>

/** Rethrows errors as plain ones, which keep their message and code between threads. */
const withCode = <A>(evaluate: () => A): A => {
  try {
    return evaluate()
  } catch (error) {
    throw Object.assign(new Error(), failureOf(error))
  }
}
