/** The hosts of a database. All are asked for their roles all the time, so after a failover the new primary is found. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import pg from "pg"
import type { HostState, Options } from "./ConnectionOptions.ts"
import * as ConnectionPool from "./ConnectionPool.ts"
import * as HostUrls from "./HostUrls.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import type { Address, Route } from "./RoutedClient.ts"
import * as Settings from "./Settings.ts"

/** One of the hosts. */
export interface Member extends Address {
  readonly name: string
  readonly url: Redacted.Redacted
  /** What it answered last; nothing if it did not answer, or was not asked. */
  seen?: Seen | undefined
  /** Close the connections for reads to it. */
  readonly drops: Set<() => void>
}

type Seen = readonly [isStandby: boolean | null, timeline: string, position: bigint]

/** The hosts, and pools of connections to them. */
export type Cluster = Effect.Effect.Success<ReturnType<typeof make>>

/** How often hosts are asked, and how long each may take. */
const interval = "250 millis"
const limits = { maxConnections: 1, statementTimeout: "1 second" } as const

/**
 * Timelines are compared as text: eight hexadecimal digits, more after each failover. Of a standby it is that of its last
 * restartpoint: positions of different timelines say nothing about each other.
 */
const question = {
  name: "petstore_role",
  text: `SELECT is_standby,
      CASE WHEN is_standby THEN upper(lpad(to_hex((pg_control_checkpoint()).timeline_id), 8, '0'))
        ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END,
      (CASE WHEN is_standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END - '0/0')::bigint
    FROM (SELECT pg_is_in_recovery() AS is_standby) AS server`
}
const anyQuestion = "SELECT NULL::boolean, '', 0::bigint"

/** Finds the hosts of the URL. A single one is not asked, unless its URL has `target_session_attrs`. */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { attribute, members } = yield* PostgresFailure.ofUrl(() => membersOf(options))
    const isAny = attribute === "any"
    const url = members[0]?.url ?? options.url
    const isAsked = !isAny || members.length > 1
    let found: Member | undefined
    let used: Member | undefined
    const waiting = new Set<() => void>()
    const drops = new Set<() => void>()
    /** Finds the primary, and moves there. Of several, the one with the newest timeline is right. */
    const choose = (member: Member, seen: Seen | undefined) => {
      if (member.seen?.[0] && !seen?.[0]) for (const drop of member.drops) drop()
      member.seen = seen
      const fit = members.filter(({ seen }) => seen !== undefined && seen[0] !== true)
      const newest = fit.reduce((most, { seen }) => (seen && seen[1] > most ? seen[1] : most), "")
      const best = fit.filter(({ seen }) => seen?.[1] === newest)
      found = best.find((member) => member === used) ?? best[0]
      if (found === undefined) return Effect.void
      const old = used
      used = found
      if (old !== undefined && old !== used) for (const drop of drops) drop()
      for (const go of waiting) go()
      return old === undefined || old === used
        ? Effect.void
        : Effect.logWarning(`connections move from ${old.name} to ${used.name}`)
    }
    const route: Route = {
      locate: (patience, callback) => {
        if (found !== undefined) return callback(found)
        const go = () => {
          clearTimeout(timer)
          waiting.delete(go)
          callback(found)
        }
        const timer = setTimeout(go, patience)
        waiting.add(go)
      },
      notFound: `none of ${members.map(({ name }) => name).join(", ")} ${isAny ? "answers" : "is a primary that answers"}`
    }

    const latches = yield* Effect.forEach(isAsked ? members : [], (member) =>
      Effect.gen(function* () {
        const latch = yield* Effect.makeLatch()
        const { query } = yield* ConnectionPool.make(
          { ...options, ...limits, url: member.url },
          // New connections wait from now on, and not from the next question on.
          { onLost: () => void choose(member, undefined) }
        )
        yield* query<Seen>(isAny ? anyQuestion : question).pipe(
          Effect.orElseSucceed(() => []),
          Effect.flatMap(([seen]) => choose(member, seen)),
          Effect.zipRight(latch.open),
          Effect.repeat(Schedule.spaced(interval)),
          Effect.forkScoped
        )
        return latch
      })
    )
    return {
      members,
      prefersStandbys: attribute === "prefer-standby",
      /** Opens a pool of connections to the primary. */
      pool: (limits: Partial<Options> = {}) =>
        ConnectionPool.make({ ...options, ...limits, url }, isAsked ? { drops, route } : {}),
      /** Those that replay the log of the primary, and not that of an earlier one. */
      standbys: () =>
        members.filter(({ seen }) => seen?.[0] === true && seen[1] === found?.seen?.[1]),
      /** Waits until every host that is asked has answered, or has not in time. */
      asked: Effect.forEach(latches, (latch) => latch.await, { discard: true })
    }
  })

const membersOf = (options: Options) => {
  const { attribute, urls } = HostUrls.parse(Redacted.value(options.url))
  const members = urls.map((text): Member => {
    const url = Redacted.make(text)
    // The driver's defaults and variables such as PGPORT apply.
    const { host, port } = new pg.Client(Settings.make({ ...options, url }))
    return {
      host,
      port,
      name: `${host.includes(":") ? `[${host}]` : host}:${port}`,
      url,
      drops: new Set()
    }
  })
  return { attribute, members }
}

/** A pool of one connection to the primary, for statements that may take longer than those of requests. */
export const patientPool = (options: Options) =>
  Effect.flatMap(make(options), ({ pool }) => pool(ConnectionPool.patient))

/** The role of a host. */
export const roleOf = ({ seen }: Member): HostState["role"] =>
  typeof seen?.[0] !== "boolean" ? "unknown" : seen[0] ? "standby" : "primary"

/** The roles of hosts, and how far behind standbys are, for metrics. */
export const statesOf = ({ members }: Cluster): ReadonlyArray<HostState> => {
  const primary = members.find((member) => roleOf(member) === "primary")
  return members.map((member) => {
    const role = roleOf(member)
    const [, , position] = (role === "standby" && member.seen) || []
    const lag = primary?.seen && position !== undefined ? primary.seen[2] - position : undefined
    return {
      host: member.name,
      role,
      lag: lag === undefined ? undefined : Math.max(0, Number(lag))
    }
  })
}
