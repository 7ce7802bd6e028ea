/** The hosts of a database. All are asked for their roles all the time, so after a failover the new primary is found. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import pg from "pg"
import type { HostState, Options } from "./ConnectionOptions.ts"
import * as ConnectionPool from "./ConnectionPool.ts"
import * as HostUrls from "./HostUrls.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import type * as PrimaryChoice from "./PrimaryChoice.ts"
import type { Address, Route } from "./RenewablePool.ts"
import * as Settings from "./Settings.ts"
import * as UsedPrimary from "./UsedPrimary.ts"

/** One of the hosts. */
export interface Member extends Address, PrimaryChoice.Host {
  readonly url: Redacted.Redacted
  seen?: PrimaryChoice.Seen | undefined
  failure?: string
  isAway?: boolean
  /** Close the connections for reads to it. */
  readonly drops: Set<() => void>
}

/** The hosts, and pools of connections to them. */
export type Cluster = Effect.Effect.Success<ReturnType<typeof make>>

/** How often hosts are asked, and how long each may take. */
const interval = "250 millis"
const limits = { maxConnections: 1, statementTimeout: "1 second" } as const

/** The timeline in `pg_control_checkpoint` is that of the last checkpoint, so a primary is asked for that of its log. */
const question = {
  name: "petstore_role",
  text: `SELECT json_build_object(
      'role', CASE WHEN is_standby THEN 'standby' ELSE 'primary' END,
      'timeline', CASE
        WHEN is_standby THEN (pg_control_checkpoint()).timeline_id
        ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer END,
      'position',
        CASE WHEN is_standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END - '0/0',
      'cluster', (pg_control_system()).system_identifier::text,
      'server', extract(epoch FROM pg_postmaster_start_time())::text
    )
    FROM (SELECT pg_is_in_recovery() AS is_standby) AS server`
}
const anyQuestion =
  "SELECT json_build_object('role', 'unknown', 'timeline', 0, 'position', 0, 'cluster', '', 'server', '')"

/**
 * Finds the hosts of the URL, and asks all of them before it chooses one. A single one is not asked, unless its URL has
 * `target_session_attrs`.
 */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { attribute, members } = yield* PostgresFailure.ofUrl(() => membersOf(options))
    const isAny = attribute === "any"
    const url = members[0]?.url ?? options.url
    const asked = isAny && members.length === 1 ? [] : members
    const waiting = new Set<() => void>()
    const drops = new Set<() => void>()
    const { found, isMixed, problem, settle, stateOf } = UsedPrimary.make(members, () => {
      for (const drop of drops) drop()
    })
    const decide = (...answered: ReadonlyArray<Member>) =>
      Effect.suspend(() => {
        const messages = settle(answered)
        if (found() !== undefined) for (const go of waiting) go()
        return Effect.forEach(messages, (message) => Effect.logWarning(message))
      })
    const note = (
      member: Member,
      seen?: PrimaryChoice.Seen,
      failure = "connection lost",
      isAway = true
    ) => {
      if (member.seen?.role === "standby" && seen?.role !== "standby")
        for (const drop of member.drops) drop()
      Object.assign(member, { seen, failure, isAway })
    }
    const route: Route = {
      locate: (patience, callback) => {
        const address = found()
        if (address !== undefined) return callback(address)
        const go = () => {
          clearTimeout(timer)
          waiting.delete(go)
          callback(found())
        }
        const timer = setTimeout(go, patience)
        waiting.add(go)
      },
      problem
    }

    const questions = yield* Effect.forEach(asked, (member) =>
      Effect.map(
        ConnectionPool.make(
          { ...options, ...limits, url: member.url },
          // New connections wait from now on, and not from the next question on.
          { onLost: () => note(member) }
        ),
        ({ patience, query }) => ({
          member,
          patience,
          /** Returns whether it is there, and may answer soon. */
          ask: Effect.match(query<[seen: PrimaryChoice.Seen]>(isAny ? anyQuestion : question), {
            onFailure: (error) => {
              const message = PostgresFailure.messageOf(error)
              note(member, undefined, message, PostgresFailure.isAway(error))
              return PostgresFailure.isStarting(error)
            },
            onSuccess: ([row]) => {
              note(member, row?.[0])
              return false
            }
          })
        })
      )
    )
    yield* Effect.forEach(
      questions,
      ({ ask, patience }) => {
        const again = Schedule.spaced(interval).pipe(Schedule.upTo(patience))
        return Effect.repeat(ask, { while: (isStarting) => isStarting, schedule: again })
      },
      { concurrency: "unbounded", discard: true }
    )
    if (asked.length > 0) yield* decide(...asked)
    if (isMixed()) return yield* PostgresFailure.from(problem())
    yield* Effect.forEach(questions, ({ ask, member }) =>
      Effect.zipRight(ask, decide(member)).pipe(
        Effect.schedule(Schedule.spaced(interval)),
        // Also for a caller that is not: closing its scope would wait for ever.
        Effect.interruptible,
        Effect.forkScoped
      )
    )
    return {
      members,
      prefersStandbys: attribute === "prefer-standby",
      /** Opens a pool of connections to the primary. */
      pool: (limits: Partial<Options> = {}) =>
        ConnectionPool.make(
          { ...options, ...limits, url },
          asked.length > 0 ? { drops, route } : {}
        ),
      /** Those that replay the log of the primary, and not that of an earlier one. */
      standbys: () => {
        const timeline = found()?.seen?.timeline
        return members.filter(
          (member) => stateOf(member).role === "standby" && member.seen?.timeline === timeline
        )
      },
      stateOf
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

/** Connects to the primary, for statements that may take longer than those of requests, and disconnects. */
export const use = <A>(
  options: Options,
  body: (query: ConnectionPool.Query) => Effect.Effect<A, StoreUnavailable>
): Effect.Effect<A, StoreUnavailable> =>
  make(options).pipe(
    Effect.flatMap(({ pool }) => pool(ConnectionPool.patient)),
    Effect.flatMap(({ query }) => body(query)),
    Effect.scoped
  )

/** The roles of hosts, and how far behind standbys are, for metrics. */
export const statesOf = ({ members, stateOf }: Cluster): ReadonlyArray<HostState> => {
  const roles = members.map((member) => ({ member, ...stateOf(member) }))
  const primary = roles.find(({ role }) => role === "primary")?.member.seen
  return roles.map(({ member, role }) => {
    const position = role === "standby" ? member.seen?.position : undefined
    const isKnown = primary !== undefined && position !== undefined
    const lag = isKnown ? Math.max(0, primary.position - position) : undefined
    return { host: member.name, role, lag }
  })
}
