/** Logs requests, one line each. */
import type { ClientAddress } from "@petstore/http-server/ClientAddress"
import type { Observer } from "@petstore/http-server/Observer"
import type { AppConfig } from "../AppConfig.ts"
import type { Log } from "./Log.ts"
import type { Mask } from "./Mask.ts"
import * as TraceParent from "./TraceParent.ts"

const maxPathLength = 300

/** What the log needs. */
export interface Options {
  /** Which requests are logged; errors have a status of 400 and above. */
  readonly which: AppConfig["logRequests"]
  readonly write: Log["Type"]["write"]
  readonly addressOf: ClientAddress
  readonly mask: Mask
}

/** Logs these requests. A key is named by its id only, and one that was refused by the reason. */
export const make = ({ addressOf, mask, which, write }: Options): Observer | undefined => {
  if (which === "none") return undefined
  return {
    onAnswer: (exchange, { body, status }) => {
      if (which === "errors" && status < 400) return
      const { keyId, keyRefusal, path, request, requestId, route, startedAt } = exchange
      // Null if what arrived was no request.
      const method = request.method ?? undefined
      // A key that is cut would not be recognized.
      const shown = mask(path)
        .slice(0, maxPathLength)
        .replaceAll(/[^\x21-\x7e]/g, percentEncoded)
      write({
        timestamp: new Date(),
        level: "info",
        message: [method ?? "malformed request", shown, status].filter(Boolean).join(" "),
        fields: {
          method,
          route,
          path: shown,
          status,
          durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
          bytes: method === "HEAD" ? 0 : (body?.bytes ?? 0),
          keyId,
          keyRefusal,
          requestId,
          traceId: exchange.traceId ?? TraceParent.parse(request)?.traceId,
          clientAddress: addressOf(exchange)
        }
      })
    }
  }
}

/** A byte of a path, which Node gives as a character of the same number. */
const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
