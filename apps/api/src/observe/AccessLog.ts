/** Logs requests, one line each. */
import * as ClientAddress from "@petstore/http-transport/ClientAddress"
import * as Observer from "@petstore/http-transport/Observer"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as LogLevel from "effect/LogLevel"
import { count } from "../cli/Terminal.ts"
import type { AppConfig } from "../settings/AppConfig.ts"
import type { Log } from "./Log.ts"
import * as OncePerMinute from "./OncePerMinute.ts"
import * as TraceParent from "./TraceParent.ts"

const maxPathLength = 300

/**
 * Logs requests as configured. A key is named by its id only, and one that was refused by the reason. Of requests without
 * a key, which anybody can send, one a minute has a line.
 */
export const make = (
  { logLevel, logRequests, slowRequest, trustedHops }: AppConfig,
  { mask, write }: Log["Type"],
  clock: Clock.Clock
): Observer.Observer | undefined => {
  if (logRequests === "none" || LogLevel.greaterThan(logLevel, LogLevel.Info)) return undefined
  const addressOf = ClientAddress.make(trustedHops)
  const slowMillis = Duration.toMillis(slowRequest)
  const isWrite = (method = "") => !["GET", "HEAD", "OPTIONS"].includes(method)
  const isSelected = (method: string | undefined, status: number, durationMs: number) =>
    status >= 400 ||
    durationMs >= slowMillis ||
    logRequests === "all" ||
    (logRequests === "writes" && isWrite(method))
  const [passPreflight, passWithoutKey] = [OncePerMinute.make(clock), OncePerMinute.make(clock)]
  return {
    onAnswer: (exchange, reply) => {
      const { error, status } = reply
      const { notes, path, request, requestId, startedAt } = exchange
      const { keyId, keyRefusal, parameters, route, traceId } = notes
      const durationMs = performance.now() - startedAt
      // Null if what arrived was no request.
      const method = request.method ?? undefined
      if (!isSelected(method, status, durationMs)) return
      const foreign = keyRefusal === "missing" ? preflightOrigin(request) : undefined
      const pass = foreign === undefined ? passWithoutKey : passPreflight
      const requests = keyRefusal === "missing" && logRequests !== "all" ? pass() : 1
      if (requests === 0) return
      // A key that is cut would not be recognized.
      const shorten = (text: string) => mask(text).slice(0, maxPathLength)
      const origin = foreign === undefined ? undefined : shorten(foreign)
      write({
        timestamp: new Date(),
        level: "info",
        message: [
          ...[method ?? "malformed request", status],
          origin && `because PETSTORE_CORS_ORIGINS does not list ${origin}`,
          requests > 1 && `and ${count(requests - 1, "other")} without a key since the last line`
        ]
          .filter(Boolean)
          .join(" "),
        fields: {
          method,
          route,
          path: shorten(path),
          parameters: parameters && Observer.parametersOf(notes),
          status,
          code: error?.code,
          reason: keyRefusal === undefined ? error?.message : undefined,
          location: locationOf(reply),
          durationMs: Math.round(durationMs * 1000) / 1000,
          bytes: Observer.bodyBytesOf(exchange, reply),
          keyId,
          // Browsers send no key with a preflight.
          keyRefusal: origin === undefined ? keyRefusal : undefined,
          origin,
          requestId,
          traceId: traceId ?? TraceParent.parse(request)?.traceId,
          clientAddress: addressOf(exchange)
        }
      })
    }
  }
}

/** Where what was created is, if something was: a repeated create adds nothing. */
const locationOf = ({ headers }: Observer.Reply): string | undefined => {
  const { Location, "Idempotent-Replayed": isRepeat } = Object.fromEntries(headers)
  return isRepeat === undefined ? Location : undefined
}

/** The origin of the web page that a browser asks for, if the request is a preflight. */
const preflightOrigin = ({ headers, method }: Observer.Exchange["request"]): string | undefined =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined
    ? headers.origin
    : undefined
