/** The inside of a `Thread`. Threads do not load Effect. */
import { parentPort } from "node:worker_threads"
import * as WriteConnection from "./WriteConnection.ts"

/** The result of an order, or the error that rolled back what it did. */
export type Report<A> = { readonly result: A } | { readonly failure: Failure }

/** The columns of pets and keys. The thread gets them with its first message: it does not load Effect and its schemas. */
export interface Columns {
  readonly pet: string
  readonly key: string
}

/** A placeholder for each of these columns. */
export const placeholders = (columns: string): string => columns.replaceAll(/\w+/g, "?")

/** Opens the file that the first message names, or ends the thread with the error. Then executes orders until told to close. */
export const serve = <Order, A>(
  prepare: (connection: WriteConnection.WriteConnection, columns: Columns) => (order: Order) => A
): void => {
  const open = ({ columns, filename }: { columns: Columns; filename: string }) => {
    const opened = attempt(() => {
      const connection = WriteConnection.open(filename)
      return { database: connection.database, execute: prepare(connection, columns) }
    })
    if ("failure" in opened) throw Object.assign(new Error(), opened.failure)
    return opened.result
  }
  let opened: ReturnType<typeof open> | undefined
  // One listener for all messages: a port that for a moment has none may lose those that wait.
  parentPort?.on("message", (message) => {
    if (opened === undefined) {
      opened = open(message)
    } else if (message === "close") {
      opened.database.close()
      parentPort?.close()
    } else {
      const { execute } = opened
      parentPort?.postMessage(attempt(() => execute(message)))
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
