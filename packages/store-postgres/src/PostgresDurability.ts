/** What a server does so that acknowledged changes are not lost. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Options } from "./internal/ConnectionOptions.ts"
import * as ConnectionPool from "./internal/ConnectionPool.ts"
import * as Hosts from "./internal/Hosts.ts"

/** What was found. */
export interface Durability {
  /** Its settings, its standbys, and the hosts that were asked, without those that are problems. */
  readonly found: string
  /** What may lose changes, is not reached, or is ignored, such as an old primary. */
  readonly problems: ReadonlyArray<string>
}

const settings = ["synchronous_commit", "fsync", "full_page_writes"]
const findSettings = `SELECT ${settings.map((name) => `current_setting('${name}', TRUE)`)},
  current_setting('synchronous_standby_names', TRUE)`

/** Only members of pg_monitor see more than names. */
const findStandbys = `SELECT application_name, state, sync_state,
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END - replay_lsn)::bigint
  FROM pg_stat_replication ORDER BY application_name`
type Standby = readonly [
  name: string,
  state: string | null,
  sync: string | null,
  lag: bigint | null
]

/** Asks the primary, as a new session of this role sees it, and each of several hosts. */
export const run = (options: Options): Effect.Effect<Durability, StoreUnavailable> =>
  Effect.gen(function* () {
    const cluster = yield* Hosts.make(options)
    const { query } = yield* ConnectionPool.make(cluster, ConnectionPool.patient)
    const [values = []] = yield* query<ReadonlyArray<string | null>>(findSettings)
    const standbys = yield* query<Standby>(findStandbys)
    const hosts = cluster.states()
    const [problems, good] = Arr.partition(hosts, ({ isProblem }) => !isProblem)
    const isAsynchronous = !values.at(-1)
    return {
      found: [
        settings.map((name, nth) => `${name} = ${values[nth]}`).join(", "),
        `commits wait for ${isAsynchronous ? "no standby" : `standbys ${values.at(-1)}`}`,
        standbys.length === 0 ? "no standby is connected" : standbys.map(describe).join(", "),
        ...good.map(({ text }) => text)
      ].join("; "),
      problems: [
        ...settings
          .filter((_, nth) => values[nth] === "off")
          .map((name) => `${name} = off: a crash may lose what was acknowledged`),
        ...(hosts.length > 1 && isAsynchronous
          ? ["a failover may lose what was acknowledged: set synchronous_standby_names"]
          : []),
        ...problems.map(({ text }) => text)
      ]
    }
  }).pipe(Effect.scoped)

const describe = ([name, state, sync, lag]: Standby): string =>
  state === null
    ? `${name} (its state is visible to members of pg_monitor)`
    : `${name} (${state}, ${sync}, ${lag} bytes behind)`
