/**
 * The hosts of a database. While the primary is not known, all are asked for as long as operations wait for it. Under traffic
 * they are asked now and then, since an old primary may go on answering.
 */
import { Socket } from "node:net"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import pg from "pg"
import { NoPrimary } from "../NoPrimary.ts"
import type { Options } from "./ConnectionOptions.ts"
import * as DriverConfig from "./DriverConfig.ts"
import * as HostUrls from "./HostUrls.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as Primary from "./Primary.ts"

/** The hosts, and which of them connections go to. */
export type Hosts = Effect.Effect.Success<ReturnType<typeof make>>

/** How often hosts are asked while none is the primary, and how long silent ones are waited for when it was lost. */
const interval = 100
/** How old the last answers may be when a statement is sent, and how long it may be unanswered until all are asked. */
const maxAge = 2000
const maxUnanswered = 1000
/** How long a host may take to answer, besides the time for its connection. */
const answerMillis = 1000

/** The timeline in `pg_control_checkpoint` is that of the last checkpoint, so a primary is asked for that of its log. */
const question = `SELECT json_build_object(
      'isStandby', is_standby,
      'timeline', CASE
        WHEN is_standby THEN (pg_control_checkpoint()).timeline_id
        ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer END,
      'cluster', (pg_control_system()).system_identifier::text
    )
    FROM (SELECT pg_is_in_recovery() AS is_standby) AS server`

/** Finds the hosts of the URL. If they are to be asked, all have answered or failed when this ends. */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { isAsked, members } = yield* PostgresFailure.ofUrl(() => membersOf(options))
    type Member = (typeof members)[number]
    const [{ config, url }] = members
    const asked = isAsked ? members : []
    const patience = config.connectionTimeoutMillis
    const drops = new Set<() => void>()
    const { found, isPrimary, problem, settle, stateOf } = Primary.make(asked, () => {
      for (const drop of drops) drop()
    })

    /** Asks a host on a connection of its own. Returns whether it may answer soon. */
    const ask = (member: Member) =>
      askOn(member.config).pipe(
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

    let askedAt = performance.now()
    let lostAt = askedAt
    const decide = Effect.suspend(() => {
      // An old primary may answer first.
      const isEarly =
        performance.now() - lostAt < interval &&
        asked.some(({ failure, seen }) => (seen ?? failure) === undefined)
      const messages = isEarly ? [] : settle()
      return Effect.forEach(messages, (message) => Effect.logWarning(message), { discard: true })
    })
    const run = yield* FiberMap.makeRuntime<never, Member | pg.Client>()
    const askAll = (onlyIfMissing: boolean) => {
      askedAt = performance.now()
      for (const member of asked)
        run(member, Effect.zipRight(ask(member), decide), { onlyIfMissing })
    }
    /** The primary may be lost: it is found again by answers to questions that are asked from now on. */
    const lose = (member = found()) => {
      if (member === undefined || member !== found()) return
      for (const one of asked) Object.assign(one, { seen: undefined, failure: undefined })
      askAll(false)
      lostAt = askedAt
    }
    /** The primary, once there is one. */
    const locate = Effect.suspend(() => {
      if (found() === undefined && performance.now() - askedAt >= interval) askAll(true)
      return found() === undefined ? decide : Effect.void
    }).pipe(
      Effect.flatMap(() => Effect.fromNullable(found())),
      Effect.retry(Schedule.spaced(interval).pipe(Schedule.upTo(patience - interval))),
      Effect.mapError(problem)
    )

    /** A connection to the primary, which is asked on that connection whether it still is. */
    class Client extends pg.Client {
      override connect(): Promise<pg.Client>
      override connect(connected: (error: unknown) => void): void
      override connect(connected?: (error: unknown) => void) {
        if (connected === undefined) return super.connect()
        const onSuccess = (member: Member) => {
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
            return read(this, (error, seen) => {
              if (isPrimary(seen)) connected(null)
              else fail(error ?? new NoPrimary(`${name} is no longer the primary`, true))
            })
          })
        }
        return run(this, Effect.match(locate, { onFailure: connected, onSuccess }))
      }
    }

    const again = Schedule.spaced(interval).pipe(Schedule.upTo(patience))
    const askFirst = (member: Member) =>
      Effect.repeat(ask(member), { while: (isStarting) => isStarting, schedule: again })
    yield* Effect.forEach(asked, askFirst, { concurrency: "unbounded", discard: true })
    if (isAsked) yield* decide
    return {
      /** What leads to the first host. */
      options: { ...options, url },
      Client: isAsked ? Client : pg.Client,
      members,
      /** What becomes of the hosts that are asked. */
      states: () => asked.map(stateOf),
      lose,
      /** They close all connections. */
      drops,
      /** Called when a statement is sent. Returns what to call when it is answered. */
      watch: () => {
        if (!isAsked) return () => {}
        if (performance.now() - askedAt > maxAge) askAll(true)
        const timer = setInterval(askAll, maxUnanswered, true)
        return () => clearInterval(timer)
      }
    }
  })

const membersOf = (options: Options) => {
  const { isAsked, urls } = HostUrls.parse(Redacted.value(options.url))
  const members = Arr.map(urls, (text) => {
    const url = Redacted.make(text)
    const config = DriverConfig.make({ ...options, url })
    // The driver's defaults and variables such as PGPORT apply.
    const { host, port } = new pg.Client(config)
    const address: Primary.Host = { name: `${host.includes(":") ? `[${host}]` : host}:${port}` }
    return { ...address, host, port, url, config }
  })
  return { isAsked, members }
}

const read = (client: pg.Client, answer: (error: unknown, seen?: Primary.Seen) => void) =>
  client.query<[Primary.Seen]>(
    { name: "petstore_role", text: question, rowMode: "array" },
    (error: unknown, result) => answer(error, result?.rows[0]?.[0])
  )

/** Asks on a new connection. */
const askOn = (config: DriverConfig.DriverConfig) =>
  Effect.async<Primary.Seen, unknown>((resume) => {
    const socket = new Socket()
    const client = new pg.Client({ ...config, connectionTimeoutMillis: 0, stream: () => socket })
    client.on("error", () => {})
    client.connect((error: unknown) => {
      if (error) return resume(Effect.fail(error))
      return read(client, (error, seen) => {
        void client.end()
        resume(seen === undefined ? Effect.fail(error) : Effect.succeed(seen))
      })
    })
    return Effect.sync(() => socket.destroy())
  })

const noAnswer = Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" })
