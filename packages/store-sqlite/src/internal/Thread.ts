/** A thread that writes to a database file. It executes one order at a time. */
import { Worker } from "node:worker_threads"
import type * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Columns from "@petstore/store-sql/Columns"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Report } from "./ThreadSide.ts"

/** The thread of `Writer`. */
export const writer = "./WriterThread.js"

const load = (module: string) => {
  const worker = new Worker(new URL(module, import.meta.url))
  let cause: unknown = new Error("the thread has ended")
  worker.on("error", (error) => {
    cause = error
  })
  return { worker, why: () => cause }
}

/** A writer that nothing uses yet. */
let spare: ReturnType<typeof load> | undefined

/** Loads a writer beside other work: the next one to start is this one. It does not keep the process running. */
export const preload = (): void => {
  spare = load(writer)
  spare.worker.unref()
}

/** Starts a thread of this module, which must call `ThreadSide.serve`. */
export const start = <Order, A>(module: string, filename: string) => {
  const { why, worker } = (module === writer && spare) || load(module)
  if (module === writer) spare = undefined
  worker.ref()
  worker.postMessage({ filename, columns: { pet: Columns.pet, key: Columns.key } })
  const hasEnded = () => worker.threadId === -1
  return {
    hasEnded,
    /** Calls back with the result of an order, or with the error that rolled it back or ended the thread. */
    ask: (order: Order, callback: Direct.Callback<A, StoreUnavailable>) => {
      const fail = (error: unknown) => callback(Exit.fail(SqliteFailure.from(error)))
      const onExit = () => fail(why())
      if (hasEnded()) return onExit()
      worker.once("exit", onExit)
      worker.once("message", (report: Report<A>) => {
        worker.off("exit", onExit)
        if ("result" in report) callback(Exit.succeed(report.result))
        else fail(Object.assign(new Error(), report.failure))
      })
      worker.postMessage(order)
    },
    /** Closes the file and waits until the thread has ended. */
    close: Effect.async<void>((resume) => {
      if (hasEnded()) return resume(Effect.void)
      worker.once("exit", () => resume(Effect.void))
      worker.postMessage("close")
    })
  }
}
