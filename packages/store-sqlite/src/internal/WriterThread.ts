/** The thread that writes: only this thread waits for disk syncs and other processes' locks. */
import { parentPort, workerData } from "node:worker_threads"
import * as WriteCommands from "./WriteCommands.ts"
import * as WriteConnection from "./WriteConnection.ts"

/** The result of a command, or the error that rolled it back. */
export type Outcome = bigint | WriteConnection.Failure

/** What the thread sends: the outcome of opening the file, then the outcomes of each batch. */
export type Report =
  | WriteConnection.Pragmas
  | { readonly failure: WriteConnection.Failure }
  | ReadonlyArray<Outcome>

/** Opens the file and waits for batches. Without a file there is nothing to wait for: the thread ends. */
const start = (): WriteConnection.Pragmas => {
  const { database, pragmas, transaction } = WriteConnection.open(workerData)
  const run = WriteCommands.prepare(database)

  /** Commands that fail together are tried one by one, so that only a bad one fails. */
  const execute = (commands: ReadonlyArray<WriteCommands.Command>): ReadonlyArray<Outcome> => {
    try {
      return transaction(() => commands.map(run))
    } catch (error) {
      const failure = WriteConnection.failureOf(error)
      // Each single command would wait for the lock as long as the batch did.
      if (commands.length === 1 || WriteConnection.isBusy(error)) return commands.map(() => failure)
      return commands.flatMap((command) => execute([command]))
    }
  }

  parentPort?.on("message", (message: ReadonlyArray<WriteCommands.Command> | "close") => {
    if (message === "close") {
      database.close()
      parentPort?.close()
    } else {
      parentPort?.postMessage(execute(message))
    }
  })
  return pragmas
}

parentPort?.postMessage(WriteConnection.attempt(start))
