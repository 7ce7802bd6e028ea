/** Runs handlers: the only place where a socket event becomes an Effect. */
import * as Direct from "@petstore/kernel/Direct"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type { Exchange } from "./Exchange.ts"
import * as Reply from "./Reply.ts"

/** Answers a request: succeeds with a reply, or fails with the reply that refuses it. */
export type Handler = (exchange: Exchange) => Effect.Effect<Reply.Reply, Reply.Reply>

/** Runs handlers on the current runtime. */
export const make = Effect.map(Effect.runtime<never>(), (runtime) => {
  const runFork = Runtime.runFork(runtime)
  const running = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  const fork: Direct.Fork = (effect, callback) => {
    // At log level debug, Effect logs every fiber that fails; a refusal is not a failure of the service.
    const fiber = runFork(Effect.exit(effect))
    running.add(fiber)
    fiber.addObserver((exit) => {
      running.delete(fiber)
      callback(Exit.flatten(exit))
    })
    return () => fiber.unsafeInterruptAsFork(fiber.id())
  }

  const replyTo = (exchange: Exchange, exit: Exit.Exit<Reply.Reply, Reply.Reply>) => {
    if (Exit.isSuccess(exit)) return exit.value
    const { requestId } = exchange
    const log = (line: Effect.Effect<void>) => runFork(Effect.annotateLogs(line, { requestId }))
    const refusal = Option.getOrUndefined(Cause.failureOption(exit.cause))
    if (refusal?.cause !== undefined)
      log(Effect.logDebug("the cause of a refusal", Cause.fail(refusal.cause)))
    if (refusal !== undefined) return refusal
    log(Effect.logError("a request failed unexpectedly", exit.cause))
    return Reply.refuse("internal_error", `something went wrong; tell us the id ${requestId}`)
  }

  return {
    /** Runs the handler for a request and passes its reply on. */
    answer: (exchange: Exchange, handler: Handler, reply: (reply: Reply.Reply) => void) => {
      const cancel = Direct.start(
        () => handler(exchange),
        (exit) => {
          // The caller is gone: that is why the handler was cancelled.
          if (exchange.response.destroyed || exchange.request.socket.destroyed) return
          reply(replyTo(exchange, exit))
        },
        fork
      )
      if (!exchange.response.headersSent) exchange.response.once("close", cancel)
    },
    /** Writes a line to the log. */
    log: (line: Effect.Effect<void>) => void runFork(line),
    /** Interrupts the handlers that still run. */
    interrupt: Effect.suspend(() => Fiber.interruptAll(running))
  }
})
