/** Writes on a thread, in batches: each is one transaction with one sync. */
import * as Batches from "@petstore/direct/Batches"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as SqliteFailure from "./SqliteFailure.ts"
import * as Thread from "./Thread.ts"
import { isUnread, type Settings } from "./WriteConnection.ts"
import type { Command } from "./WriterThread.ts"

/** Executes a command. Succeeds with its result once it is synced to disk. */
export type Write = (command: Command) => Effect.Effect<bigint, StoreUnavailable>

/** How long a thread that is closed waits for other processes' locks, in milliseconds. */
const maxClosing = 1000

/** Starts the thread. When the scope closes, what was accepted is written before it ends. */
export const make = (
  settings: Settings,
  options: Pick<Batches.Options<Command, bigint, StoreUnavailable>, "maxWaiting" | "onBatch"> = {}
): Effect.Effect<Write, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const giveUp = new Int32Array(new SharedArrayBuffer(4))
    const start = () =>
      Thread.start<ReadonlyArray<Command>, ReadonlyArray<bigint>>("./WriterThread.js", {
        ...settings,
        giveUp
      })
    let thread = start()

    yield* Effect.addFinalizer(() => Effect.suspend(() => thread.close))
    // An empty batch is done as soon as the file is open.
    yield* Effect.async<unknown, StoreUnavailable>((resume) => thread.ask([], resume))
    const write = yield* Batches.make<Command, bigint, StoreUnavailable>({
      ...options,
      commit: (commands, callback) => {
        try {
          // When a thread ends, the batch it had fails; the next one starts another thread.
          if (thread.hasEnded()) thread = start()
          thread.ask(commands, callback)
        } catch (error) {
          callback(Exit.fail(SqliteFailure.from(error)))
        }
      },
      // If a thread ends, or the log cannot be read after a commit, the batch may be written: it must not be written again.
      isPartial: ({ cause, reason }) => !thread.hasEnded() && reason !== "busy" && !isUnread(cause),
      // The lock was not released in time: those that wait do not wait for it each.
      isBusy: ({ reason }) => reason === "busy",
      refuse: (reason, message) => new StoreUnavailable({ reason, cause: new Error(message) })
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => setTimeout(() => Atomics.store(giveUp, 0, 1), maxClosing).unref())
    )
    return write
  })
