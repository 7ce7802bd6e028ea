/** Writes on a thread, in batches: each is one transaction with one sync. */
import * as Batches from "@petstore/kernel/Batches"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as SqliteFailure from "./SqliteFailure.ts"
import * as Thread from "./Thread.ts"
import type { Input, Name, Result } from "./WriterThread.ts"

/** Executes a command. Succeeds with its result once it is synced to disk. */
export type Write = <N extends Name>(
  name: N,
  ...input: Input<N>
) => Effect.Effect<Result<N>, StoreUnavailable>

/** The name of a command, and its inputs. */
type Command = readonly [name: Name, ...input: ReadonlyArray<unknown>]

/** Starts the thread. When the scope closes, what was accepted is written before it ends. */
export const make = (
  filename: string,
  onBatch?: (size: number) => void
): Effect.Effect<Write, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const start = () =>
      Thread.start<ReadonlyArray<Command>, ReadonlyArray<unknown>>(Thread.writer, filename)
    let thread = start()

    yield* Effect.addFinalizer(() => Effect.suspend(() => thread.close))
    // An empty batch is done as soon as the file is open.
    yield* Effect.async<unknown, StoreUnavailable>((resume) => thread.ask([], resume))
    const write = yield* Batches.make<Command, unknown>({
      onBatch,
      commit: (commands, callback) => {
        try {
          // When a thread ends, the batch it had fails; the next one starts another thread.
          if (thread.hasEnded()) thread = start()
          thread.ask(commands, callback)
        } catch (error) {
          callback(Exit.fail(SqliteFailure.from(error)))
        }
      },
      // If a thread ends, the batch may be written: it must not be written again.
      isPartial: ({ reason }) => !thread.hasEnded() && reason !== "busy"
    })
    // The thread gives each command the result of its name.
    return ((...command) => write(command)) as Write
  })
