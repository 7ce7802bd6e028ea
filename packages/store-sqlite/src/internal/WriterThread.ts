/** The thread that writes: only this thread waits for disk syncs and other processes' locks. */
import * as ThreadSide from "./ThreadSide.ts"
import * as WriteCommands from "./WriteCommands.ts"
import { isBusy } from "./WriteConnection.ts"

/** The result of a command, or the error that rolled it back. */
export type Outcome = bigint | ThreadSide.Failure

ThreadSide.serve(({ database, transaction }) => {
  const run = WriteCommands.prepare(database)

  /** Commands that fail together are tried one by one, so that only a bad one fails. */
  const execute = (commands: ReadonlyArray<WriteCommands.Command>): ReadonlyArray<Outcome> => {
    // The first batch is empty: its report says that the file is open. It must not wait for a lock.
    if (commands.length === 0) return []
    try {
      return transaction(() => commands.map(run))
    } catch (error) {
      const failure = ThreadSide.failureOf(error)
      // Each single command would wait for the lock as long as the batch did.
      if (commands.length === 1 || isBusy(error)) return commands.map(() => failure)
      return commands.flatMap((command) => execute([command]))
    }
  }
  return execute
})
