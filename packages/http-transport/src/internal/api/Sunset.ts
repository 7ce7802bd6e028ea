/** Announces the end of a deprecated endpoint, and answers 410 after it. */

import * as Direct from "@petstore/kernel/Direct"
import type * as Clock from "effect/Clock"
import { type Deprecation, deprecationHeaders } from "../../Annotations.ts"
import * as Reply from "../exchange/Reply.ts"
import type { Handle } from "../exchange/Routes.ts"

/** The endpoint with its dates on every 200, 304 and 404. */
export const wrap = <Caller>(
  deprecation: Deprecation["Type"],
  basePath: string,
  clock: Clock.Clock,
  handle: Handle<Caller>
): Handle<Caller> => {
  const headers = Object.entries(deprecationHeaders(deprecation, basePath))
  const end = deprecation.sunset.getTime()
  const replacement = `${basePath}${deprecation.successor}`
  const gone = Reply.fail("gone", `this operation is gone; use ${replacement} instead`, headers)
  const dated = (reply: Reply.Reply): Reply.Reply =>
    datedStatuses.includes(reply.status)
      ? { ...reply, headers: [...reply.headers, ...headers] }
      : reply
  const both = { onFailure: dated, onSuccess: dated }
  return (exchange, parameters, caller) =>
    clock.unsafeCurrentTimeMillis() >= end
      ? gone
      : Direct.mapBoth(handle(exchange, parameters, caller), both)
}

const datedStatuses = [200, 304, 404]
