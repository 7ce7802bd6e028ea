/** Logs requests, one line each. */
import * as ClientAddress from "@petstore/http-server/ClientAddress"
import type { Exchange, Observer } from "@petstore/http-server/Observer"
import * as LogLevel from "effect/LogLevel"
import type { AppConfig } from "../settings/AppConfig.ts"
import type { Log } from "./Log.ts"
import * as TraceParent from "./TraceParent.ts"

const maxPathLength = 300

/** Logs requests as configured. A key is named by its id only, and one that was refused by the reason. */
export const make = (
  { logLevel, logRequests, trustedHops }: AppConfig,
  { mask, write }: Log["Type"]
): Observer | undefined => {
  if (logRequests === "none" || LogLevel.greaterThan(logLevel, LogLevel.Info)) return undefined
  const addressOf = ClientAddress.make(trustedHops)
  return {
    onAnswer: (exchange, { body, status }) => {
      if (logRequests === "errors" && status < 400) return
      const { keyId, keyRefusal, path, request, requestId, route, startedAt } = exchange
      // Null if what arrived was no request.
      const method = request.method ?? undefined
      // A key that is cut would not be recognized.
      const visible = (text: string) =>
        mask(text)
          .slice(0, maxPathLength)
          .replaceAll(/[^\x21-\x7e]/g, percentEncoded)
      const shown = visible(path)
      const foreign = keyRefusal === "missing" ? preflightOrigin(request) : undefined
      const origin = foreign === undefined ? undefined : visible(foreign)
      write({
        timestamp: new Date(),
        level: "info",
        message: [
          ...[method ?? "malformed request", shown, status],
          origin && `because PETSTORE_CORS_ORIGINS does not have ${origin}`
        ]
          .filter(Boolean)
          .join(" "),
        fields: {
          method,
          route,
          path: shown,
          status,
          durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
          bytes: method === "HEAD" ? 0 : (body?.bytes ?? 0),
          keyId,
          // Browsers send no key with a preflight.
          keyRefusal: origin === undefined ? keyRefusal : undefined,
          origin,
          requestId,
          traceId: exchange.traceId ?? TraceParent.parse(request)?.traceId,
          clientAddress: addressOf(exchange)
        }
      })
    }
  }
}

/** The origin of the web page that a browser asks for, if the request is a preflight. */
const preflightOrigin = ({ headers, method }: Exchange["request"]): string | undefined =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined
    ? headers.origin
    : undefined

/** A byte of a path, which Node gives as a character of the same number. */
const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
