/** From a request to its answer: runs the handler's Effect and sends what becomes of it. */
import * as Immediate from "@petstore/domain/Immediate"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Exchange from "./Exchange.ts"
import * as Reply from "./Reply.ts"

/** Answers every request with a reply, be it a success or a refusal. */
export type Handler = (exchange: Exchange.Exchange) => Effect.Effect<Reply.Reply, Reply.Reply>

/** Runs handlers. */
export interface Answering {
  /** Answers a request. `isLast` is asked when the answer is ready: does the connection end with it? */
  readonly answer: (exchange: Exchange.Exchange, handler: Handler, isLast: () => boolean) => void
  /** Interrupts whatever still runs. */
  readonly interrupt: Effect.Effect<void>
}

/** Runs handlers on the runtime of whoever asks. */
export const make: Effect.Effect<Answering> = Effect.map(Effect.runtime<never>(), (runtime) => {
  const runFork = Runtime.runFork(runtime)
  const running = new Set<Fiber.RuntimeFiber<Reply.Reply, Reply.Reply>>()

  const replyTo = (exchange: Exchange.Exchange, exit: Exit.Exit<Reply.Reply, Reply.Reply>) => {
    if (Exit.isSuccess(exit)) return exit.value
    const { requestId } = exchange
    const log = (line: Effect.Effect<void>) => runFork(Effect.annotateLogs(line, { requestId }))
    const refusal = Option.getOrUndefined(Cause.failureOption(exit.cause))
    if (refusal !== undefined) {
      const { cause } = refusal
      if (cause !== undefined) log(Effect.logWarning("a request was refused", Cause.fail(cause)))
      return refusal
    }
    log(Effect.logError("a request failed in a way nobody foresaw", exit.cause))
    return Reply.refuse("internal_error", `something went wrong; tell us the id ${requestId}`)
  }

  return {
    answer: (exchange, handler, isLast) => {
      const { response } = exchange
      const send = (exit: Exit.Exit<Reply.Reply, Reply.Reply>) => {
        // Nobody is there any more, which is also why the handler was interrupted.
        if (response.destroyed || exchange.request.socket.destroyed) return
        Exchange.send(exchange, replyTo(exchange, exit), isLast())
      }
      const effect = begin(handler, exchange)
      const known = Immediate.evaluate(effect)
      if (known !== undefined) return send(known)
      const fiber = runFork(effect)
      const abandon = () => fiber.unsafeInterruptAsFork(fiber.id())
      running.add(fiber)
      response.once("close", abandon)
      fiber.addObserver((exit) => {
        running.delete(fiber)
        response.off("close", abandon)
        send(exit)
      })
    },
    interrupt: Effect.suspend(() => Fiber.interruptAll(running))
  }
})

/** The handler's Effect, or its outcome where that can be had at once. */
const begin = (handler: Handler, exchange: Exchange.Exchange): ReturnType<Handler> => {
  try {
    const effect = handler(exchange)
    return Immediate.evaluate(effect) ?? effect
  } catch (defect) {
    return Exit.die(defect)
  }
}
