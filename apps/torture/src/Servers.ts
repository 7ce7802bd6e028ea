/** What failovers do with the servers of a database, however these are run. */
import type * as Load from "./Load.ts"
import type * as Service from "./Service.ts"

/** A PostgreSQL with a standby. */
export interface Servers extends Pick<Service.Options, "sabotage"> {
  readonly url: string
  /** Kills the primary under this load. */
  readonly kill: (load: Load.Load) => Promise<void>
  /** Lets the standby take over, and returns what happened. */
  readonly promote: () => Promise<string>
  /** Starts the old primary as the standby. */
  readonly rejoin: () => Promise<void>
}
