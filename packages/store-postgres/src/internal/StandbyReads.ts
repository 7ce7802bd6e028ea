/** Reads on standbys that have replayed everything that was acknowledged before. All others are made on the primary. */
import * as Turn from "@petstore/kernel/Turn"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Cluster, Member } from "./Cluster.ts"
import type { Options } from "./ConnectionOptions.ts"
import * as ConnectionPool from "./ConnectionPool.ts"

/** Everything that was acknowledged is before this position. */
const position = {
  name: "petstore_position",
  text: "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
}
const hasReplayed = {
  name: "petstore_has_replayed",
  text: "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() - '0/0' >= $1::bigint"
}

/** How many times a standby that is late is asked, and the milliseconds between. */
const maxTries = 5
const pause = 2

/** Opens a pool for each host, which is used while it is a standby. */
export const make = (
  options: Options,
  { members, standbys }: Cluster,
  primary: ConnectionPool.ConnectionPool
) =>
  Effect.gen(function* () {
    const pools = new Map<Member, ConnectionPool.ConnectionPool>()
    for (const member of members) {
      const { drops, url } = member
      pools.set(member, yield* ConnectionPool.make({ ...options, url }, { drops, pipeline: true }))
    }
    let turn = 0
    const next = () => {
      const ready = standbys()
      const member = ready[turn++ % ready.length]
      return member && pools.get(member)
    }
    // One question for all reads of a turn, which is sent after they have arrived.
    const ask = Turn.make<Parameters<typeof primary.send<[position: bigint]>>[2]>((waiting) =>
      primary.send<[position: bigint]>(position, [], (exit) => {
        for (const settle of waiting) settle(exit)
      })
    )
    const send: ConnectionPool.Send = (statement, values, callback) => {
      const attempt = (standby: ConnectionPool.ConnectionPool, at: unknown, tries: number) =>
        standby.sendIf<never>([hasReplayed, at], statement, values, (exit) => {
          if (Exit.isFailure(exit)) primary.send(statement, values, callback)
          else if (exit.value !== undefined) callback(Exit.succeed(exit.value))
          else if (tries < maxTries) setTimeout(attempt, pause, standby, at, tries + 1)
          else primary.send(statement, values, callback)
        })
      if (standbys().length === 0) return primary.send(statement, values, callback)
      return ask((exit) => {
        const standby = next()
        if (Exit.isFailure(exit)) callback(Exit.failCause(exit.cause))
        else if (standby === undefined) primary.send(statement, values, callback)
        else attempt(standby, exit.value[0]?.[0], 1)
      })
    }
    return {
      send,
      /** The state of the pools. */
      pools: () => Array.from(pools, ([{ name }, { counts }]) => ({ pool: name, ...counts() }))
    }
  })
