/** Telling callers of a deprecated endpoint that it goes, and that it is gone. */
import * as Immediate from "@petstore/domain/Immediate"
import type { Deprecation } from "@petstore/http-contract/Annotations"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Reply from "./Reply.ts"
import type { Handle } from "./Routes.ts"

/** The endpoint with its dates on every 200 and 404, and answering 410 once they have passed. */
export const wrap = <Caller>(
  deprecation: Deprecation["Type"],
  clock: Clock.Clock,
  handle: Handle<Caller>
): Handle<Caller> => {
  const { since, sunset, successor } = deprecation
  const headers = {
    Deprecation: `@${since.getTime() / 1000}`,
    Sunset: sunset.toUTCString(),
    Link: `<${successor}>; rel="successor-version"`
  }
  const gone = Effect.fail(
    Reply.refuse("gone", `this operation is gone; use ${successor} instead`, headers)
  )
  const dated = (reply: Reply.Reply) =>
    reply.status === 200 || reply.status === 404 ? Reply.withHeaders(reply, headers) : reply
  return (exchange, parameters, caller) =>
    clock.unsafeCurrentTimeMillis() >= sunset.getTime()
      ? gone
      : Immediate.mapBoth(handle(exchange, parameters, caller), dated, dated)
}
