/** Watches requests: logs, metrics and traces are an observer each. */

import type { Exchange } from "./internal/exchange/Exchange.ts"
import type { Body, Reply } from "./internal/exchange/Reply.ts"
import type { Handler } from "./internal/exchange/RequestRunner.ts"
import { paths as probes } from "./internal/pages/Health.ts"

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

/** Whether a request asks for liveness or readiness. */
export const isProbe = ({ path }: Pick<Exchange, "path">): boolean => probes.includes(path)

/** How many bytes the body of an answer has; `HEAD` gets none. */
export const bodyBytesOf = ({ request }: Pick<Exchange, "request">, { body }: Reply): number =>
  request.method === "HEAD" ? 0 : (body?.bytes ?? 0)

/** The parameters of the query as the endpoint decoded them, defaults included: each a number or a text. */
export const parametersOf = ({
  parameters
}: Exchange["notes"]): Readonly<Record<string, number | string>> =>
  Object.fromEntries(
    Object.entries(Object(parameters))
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === "number" ? value : String(value)])
  )
