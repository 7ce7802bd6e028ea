/** The thread that writes: only this thread waits for disk syncs and other processes' locks. */
import { parentPort, workerData } from "node:worker_threads"
import * as Connection from "./Connection.ts"
import * as Statements from "./Statements.ts"

/** What became of a command: its answer, or the error that undid it. */
export type Outcome = bigint | Connection.Failure

/** What the thread sends: how opening the file went, then the outcomes of each batch. */
export type Report =
  | Connection.Pragmas
  | { readonly failure: Connection.Failure }
  | ReadonlyArray<Outcome>

/** Opens the file and waits for batches. Without a file there is nothing to wait for: the thread ends. */
const start = (): Connection.Pragmas => {
  const { database, pragmas, transaction } = Connection.open(workerData)
  const run = Statements.prepare(database)

  /** Commands that fail together are tried one by one, so that only a bad one fails. */
  const execute = (commands: ReadonlyArray<Statements.Command>): ReadonlyArray<Outcome> => {
    try {
      return transaction(() => commands.map(run))
    } catch (error) {
      const failure = Connection.failureOf(error)
      // Each single command would wait for the lock as long as the batch did.
      if (commands.length === 1 || Connection.isBusy(error)) return commands.map(() => failure)
      return commands.flatMap((command) => execute([command]))
    }
  }

  parentPort?.on("message", (message: ReadonlyArray<Statements.Command> | "close") => {
    if (message === "close") {
      database.close()
      parentPort?.close()
    } else {
      parentPort?.postMessage(execute(message))
    }
  })
  return pragmas
}

parentPort?.postMessage(Connection.attempt(start))
