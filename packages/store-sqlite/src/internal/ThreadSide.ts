/** The inside of a `Thread`. Threads do not load Effect. */
import { parentPort, workerData } from "node:worker_threads"
import * as WriteConnection from "./WriteConnection.ts"

/** The result of an order, or the error that rolled back what it did. */
export type Report<A> = { readonly result: A } | { readonly failure: Failure }

/** The columns of pets and keys, which the thread gets when it starts: it does not load Effect and its schemas. */
export interface Columns {
  readonly pet: string
  readonly key: string
}

/** A placeholder for each of these columns. */
export const placeholders = (columns: string): string => columns.replaceAll(/\w+/g, "?")

/** Opens the file, or ends the thread with the error, and executes orders until told to close. */
export const serve = <Order, A>(
  prepare: (connection: WriteConnection.WriteConnection, columns: Columns) => (order: Order) => A
): void => {
  const opened = attempt(() => {
    const connection = WriteConnection.open(workerData)
    return { database: connection.database, execute: prepare(connection, workerData.columns) }
  })
  if ("failure" in opened) throw Object.assign(new Error(), opened.failure)
  const { database, execute } = opened.result
  parentPort?.on("message", (order: Order | "close") => {
    if (order === "close") {
      database.close()
      parentPort?.close()
    } else {
      parentPort?.postMessage(attempt(() => execute(order)))
    }
  })
}

/** An error as data: SQLite's error objects lose their class, message and code between threads. */
const failureOf = (error: unknown) => ({
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof Error && "code" in error ? String(error.code) : undefined
})
type Failure = ReturnType<typeof failureOf>

const attempt = <A>(evaluate: () => A): Report<A> => {
  try {
    return { result: evaluate() }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}
