/**
 * The hosts of a database. While the primary is not known, all are asked at once, for all operations that wait for it. Under
 * traffic they are asked now and then, since an old primary may go on answering.
 */
import { Socket } from "node:net"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import pg from "pg"
import { NoPrimary } from "../NoPrimary.ts"
import type { HostState, Options } from "./ConnectionOptions.ts"
import * as DriverConfig from "./DriverConfig.ts"
import * as HostUrls from "./HostUrls.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as Primary from "./Primary.ts"

/** The hosts, and which of them connections go to. */
export type Hosts = Effect.Effect.Success<ReturnType<typeof make>>

/** How often hosts are asked while none is the primary, and how long a search waits for silent ones if one is. */
const interval = 100
/** How old the last answers may be when a statement is sent, and how long it may be unanswered until all are asked. */
const maxAge = 2000
const maxUnanswered = 1000
/** How long a host may take to answer, besides the time for its connection. */
const answerMillis = 1000

/** The timeline in `pg_control_checkpoint` is that of the last checkpoint, so a primary is asked for that of its log. */
const roleQuestion = `SELECT json_build_object(
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
const anyQuestion =
  "SELECT json_build_object('role', 'unknown', 'timeline', 0, 'position', 0, 'cluster', '', 'server', '')"

/**
 * Finds the hosts of the URL, and asks all of them before it chooses one. A single one is not asked, unless its URL has
 * `target_session_attrs`: a proxy or a pooler may be behind it.
 */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { attribute, members } = yield* PostgresFailure.ofUrl(() => membersOf(options))
    type Member = (typeof members)[number]
    const [{ config, url }] = members
    const asked = attribute === "any" && members.length === 1 ? [] : members
    const text = attribute === "any" ? anyQuestion : roleQuestion
    const patience = config.connectionTimeoutMillis
    const drops = new Set<() => void>()
    const { found, isMixed, isPrimary, problem, settle, stateOf } = Primary.make(members, () => {
      for (const drop of drops) drop()
    })
    const waiting = new Set<() => void>()
    const decide = Effect.suspend(() => {
      const messages = settle()
      if (found() !== undefined) for (const go of waiting) go()
      return Effect.forEach(messages, (message) => Effect.logWarning(message), { discard: true })
    })

    /** Asks a host on a connection of its own. Returns whether it may answer soon. */
    const ask = (member: Member) =>
      askOn(member.config, text).pipe(
        Effect.timeoutFail({ duration: patience + answerMillis, onTimeout: () => noAnswer }),
        Effect.match({
          onFailure: (error) => {
            const failure = PostgresFailure.messageOf(error)
            const isAway = PostgresFailure.isAway(error)
            Object.assign(member, { seen: undefined, failure, isAway })
            return PostgresFailure.isStarting(error)
          },
          onSuccess: (seen) => {
            Object.assign(member, { seen, failure: undefined })
            return false
          }
        })
      )

    const run = yield* FiberMap.makeRuntime<never, Member | "silence">()
    /** Those that the search waits for. */
    const pending = new Set<Member>()
    let askedAt = performance.now()
    /** Asks a host, and again while operations wait for a primary. */
    const search = (member: Member) =>
      ask(member).pipe(
        Effect.zipRight(
          Effect.suspend(() => {
            pending.delete(member)
            return pending.size === 0 ? decide : Effect.void
          })
        ),
        Effect.repeat({
          while: () => found() === undefined && waiting.size > 0,
          schedule: Schedule.spaced(interval)
        })
      )
    /** Asks those that are not being asked. */
    const askAgain = () => {
      askedAt = performance.now()
      for (const member of asked) run(member, search(member), { onlyIfMissing: true })
    }
    /** The primary may be lost: it is found again by answers to questions that are asked from now on. */
    const lose = (member = found()) => {
      if (member === undefined || member !== found()) return
      Object.assign(member, { seen: undefined, failure: undefined, isAway: true })
      for (const one of asked) {
        pending.add(one)
        run(one, search(one))
      }
      const enough = Effect.suspend(() => {
        pending.clear()
        return decide
      })
      run("silence", Effect.delay(enough, interval))
    }
    /** Calls back with the primary, or without one if none is found in time. */
    const locate = (callback: (member: Member | undefined) => void) => {
      const known = found()
      if (known !== undefined) return callback(known)
      const go = () => {
        clearTimeout(timer)
        waiting.delete(go)
        callback(found())
      }
      const timer = setTimeout(go, patience)
      waiting.add(go)
      askAgain()
    }

    /** A connection to the primary, which is asked on that connection whether it still is. */
    class Client extends pg.Client {
      override connect(): Promise<pg.Client>
      override connect(connected: (error: unknown) => void): void
      override connect(connected?: (error: unknown) => void) {
        if (connected === undefined) return super.connect()
        return locate((member) => {
          if (member === undefined) return connected(problem())
          const { host, name, port } = member
          Object.assign(this, { host, port })
          this.on("error", () => lose(member))
          const fail = (error: unknown) => {
            lose(member)
            void this.end()
            connected(error)
          }
          super.connect((error: unknown) => {
            if (error) return fail(error)
            return read(this, text, (error, seen) => {
              if (isPrimary(seen)) connected(null)
              else fail(error ?? new NoPrimary(`${name} is no longer the primary`, true))
            })
          })
        })
      }
    }

    const again = Schedule.spaced(interval).pipe(Schedule.upTo(patience))
    const askFirst = (member: Member) =>
      Effect.repeat(ask(member), { while: (isStarting) => isStarting, schedule: again })
    yield* Effect.forEach(asked, askFirst, { concurrency: "unbounded", discard: true })
    if (asked.length > 0) yield* decide
    if (isMixed()) return yield* PostgresFailure.from(problem())
    return {
      /** What leads to the first host. */
      options: { ...options, url },
      Client: asked.length > 0 ? Client : pg.Client,
      members,
      stateOf,
      lose,
      /** They close all connections. */
      drops,
      /** Called when a statement is sent. Returns what to call when it is answered. */
      watch: () => {
        if (asked.length === 0) return () => {}
        if (performance.now() - askedAt > maxAge) askAgain()
        const timer = setInterval(askAgain, maxUnanswered)
        return () => clearInterval(timer)
      },
      /** The roles of hosts, and how far behind standbys are, as seen last. Asks them again. */
      states: (): ReadonlyArray<HostState> => {
        askAgain()
        const roles = members.map((member) => ({ ...member, role: stateOf(member).role }))
        const primary = roles.find(({ role }) => role === "primary")?.seen
        return roles.map(({ name, role, seen }) => {
          const isBehind = role === "standby" && primary !== undefined && seen !== undefined
          const lag = isBehind ? Math.max(0, primary.position - seen.position) : undefined
          return { host: name, role, lag }
        })
      }
    }
  })

const membersOf = (options: Options) => {
  const { attribute, urls } = HostUrls.parse(Redacted.value(options.url))
  const members = Arr.map(urls, (text) => {
    const url = Redacted.make(text)
    const config = DriverConfig.make({ ...options, url })
    // The driver's defaults and variables such as PGPORT apply.
    const { host, port } = new pg.Client(config)
    const address: Primary.Host = { name: `${host.includes(":") ? `[${host}]` : host}:${port}` }
    return { ...address, host, port, url, config }
  })
  return { attribute, members }
}

const read = (
  client: pg.Client,
  text: string,
  answer: (error: unknown, seen?: Primary.Seen) => void
) =>
  client.query<[Primary.Seen]>(
    { name: "petstore_role", text, rowMode: "array" },
    (error: unknown, result) => answer(error, result?.rows[0]?.[0])
  )

/** Asks on a new connection. */
const askOn = (config: DriverConfig.DriverConfig, text: string) =>
  Effect.async<Primary.Seen, unknown>((resume) => {
    const socket = new Socket()
    const client = new pg.Client({ ...config, connectionTimeoutMillis: 0, stream: () => socket })
    client.on("error", () => {})
    client.connect((error: unknown) => {
      if (error) return resume(Effect.fail(error))
      return read(client, text, (error, seen) => {
        void client.end()
        resume(seen === undefined ? Effect.fail(error) : Effect.succeed(seen))
      })
    })
    return Effect.sync(() => socket.destroy())
  })

const noAnswer = Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" })
