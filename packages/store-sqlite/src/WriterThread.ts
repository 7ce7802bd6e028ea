/** The thread that writes: a sync or another process's lock holds up nobody but this thread. */
import { parentPort, workerData } from "node:worker_threads"
import * as Connection from "./Connection.ts"
import * as Statements from "./Statements.ts"

/** What became of a command: its answer, or the error that undid it. */
export type Outcome = bigint | Connection.Failure

const { database, pragmas, transaction } = Connection.open(workerData)
const run = Statements.prepare(database)

/** Commands that cannot be done together are tried one by one, so that only a bad one fails. */
const execute = (commands: ReadonlyArray<Statements.Command>): ReadonlyArray<Outcome> => {
  try {
    return transaction(() => commands.map(run))
  } catch (error) {
    const failure = Connection.failureOf(error)
    // A lock that did not open for the batch would hold up each of its commands as long again.
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
parentPort?.postMessage(pragmas)
