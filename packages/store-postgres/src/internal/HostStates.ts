/** The state of each host, for metrics. */
import { type Cluster, roleOf } from "./Cluster.ts"
import type { HostState } from "./ConnectionOptions.ts"

/** The roles of hosts, and how far behind standbys are. */
export const of = ({ members }: Cluster): ReadonlyArray<HostState> => {
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
