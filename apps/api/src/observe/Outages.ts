/** Logs that the database fails, and that it works again: once each, whatever the number of requests. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { prefix } from "@petstore/http-pets/PetStoreApi"
import type { Observer } from "@petstore/http-transport/Observer"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import { count } from "../cli/Terminal.ts"
import type { AppConfig } from "../settings/AppConfig.ts"
import type { Log } from "./Log.ts"

type Reason = StoreUnavailable["reason"]

/** Users of the database, weakest evidence first: what works says nothing about those that follow it. */
const users = ["keys", "reads", "writes"] as const
type User = (typeof users)[number]

/** From the first failure for a reason until the database has worked for a while. */
interface Outage {
  readonly since: bigint
  latest: bigint
  /** When it worked first since the latest failure. */
  back?: bigint | undefined
  refused: number
  /** The first user that it failed for. */
  user: number
}

/** What a method uses the database for; `OPTIONS` does not use it. */
const uses: Readonly<Record<string, User>> = { GET: "reads", HEAD: "reads" }

/** Whether the database has answered for this status. Refusals may be decided without it. */
const isAnswered = (status: number): boolean => (status >= 200 && status < 300) || status === 304

/** A database that fails now and then does not get two lines each time. */
const calm = Duration.unsafeToNanos("2 seconds")

/** Servers read the keys twice a second, so an outage is noticed without a request. */
export const make = (
  { database, isReadOnly, logLevel }: Pick<AppConfig, "database" | "isReadOnly" | "logLevel">,
  write: Log["Type"]["write"]
) =>
  Effect.map(Effect.clock, (clock) => {
    const outages = new Map<Reason, Outage>()
    const log = (level: LogLevel.LogLevel, message: string) => {
      if (LogLevel.lessThan(level, logLevel)) return
      write({ timestamp: new Date(), level: level.label.toLowerCase(), message, fields: {} })
    }

    const fail = (by: User, error: StoreUnavailable, refused: number) => {
      if (isReadOnly && error.reason === "read-only") return
      // What waits for a connection to a server that is down ends as busy.
      const reason = error.reason === "busy" && outages.has("down") ? "down" : error.reason
      const now = clock.unsafeCurrentTimeNanos()
      const known = outages.get(reason)
      const outage = known ?? { since: now, latest: now, refused: 0, user: users.length }
      outage.latest = now
      outage.back = undefined
      outage.refused += refused
      outage.user = Math.min(outage.user, users.indexOf(by))
      outages.set(reason, outage)
      if (known !== undefined) return
      log(reason === "busy" ? LogLevel.Warning : LogLevel.Error, database.explain(error))
    }

    const work = (by: User) => {
      const now = clock.unsafeCurrentTimeNanos()
      for (const [reason, outage] of outages) {
        if (users.indexOf(by) >= outage.user) outage.back ??= now
        if (outage.back === undefined || now - outage.latest < calm) continue
        outages.delete(reason)
        const seconds = Math.ceil(Duration.toSeconds(Duration.nanos(outage.back - outage.since)))
        const refused = count(outage.refused, "request")
        const was = `it was ${reason} for ${seconds} s, and ${refused} got 503`
        log(LogLevel.Info, `${database.url} works again; ${was}`)
      }
    }

    const observer: Observer = {
      onAnswer: ({ notes: { keyRefusal, route }, request }, { cause, status }) => {
        if (outages.size === 0 && cause === undefined) return
        const { method = "" } = request
        const user = uses[method] ?? "writes"
        const isCall = route?.startsWith(prefix) === true && method !== "OPTIONS"
        if (cause instanceof StoreUnavailable) fail(user, cause, Number(isCall))
        else if (isAnswered(status) && (isCall || route === "/readyz")) work(user)
        else if (keyRefusal === "outdated") for (const outage of outages.values()) outage.refused++
      }
    }
    const watching = <A>(by: User, effect: Effect.Effect<A, StoreUnavailable>) =>
      Effect.tapBoth(effect, {
        onFailure: (error) =>
          Effect.sync(() => error instanceof StoreUnavailable && fail(by, error, 0)),
        onSuccess: () => Effect.sync(() => work(by))
      })
    /** The same store, whose failures are noticed. */
    const watch = (keys: ApiKeyStore["Type"]): ApiKeyStore["Type"] => ({
      ...keys,
      changes: (since) => watching("keys", keys.changes(since)),
      noteUses: (uses, now) => watching("writes", keys.noteUses(uses, now))
    })
    return { observer, watch }
  })
