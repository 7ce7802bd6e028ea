/** Watches requests: logs, metrics and traces are an observer each. */

import type { Exchange } from "./internal/exchange/Exchange.ts"
import type { Body, Reply } from "./internal/exchange/Reply.ts"
import type { Handler } from "./internal/exchange/RequestRunner.ts"

export type { Body, Exchange, Handler, Reply }

/** Watches requests. */
export interface Observer {
  /** Wraps the handler, for example to run it in a span. */
  readonly around?: (handler: Handler) => Handler
  /**
   * Called with every answer when it is sent, also with those to malformed requests. The status is 499 if
   * the caller disconnected before.
   */
  readonly onAnswer?: (exchange: Exchange, reply: Reply) => void
}
