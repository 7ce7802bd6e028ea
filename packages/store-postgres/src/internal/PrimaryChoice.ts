/**
 * Chooses the primary among hosts: that of the newest timeline that this process has ever seen. A promotion starts a new
 * timeline, so a primary of an older one was replaced, and a second primary of the newest one was not promoted after it.
 */
import type { HostState } from "./ConnectionOptions.ts"

/** What a host answers. */
export interface Seen {
  /** Unknown if it was not asked. */
  readonly role: HostState["role"]
  /** 0 if it was not asked. Of a standby it is that of its last restartpoint. */
  readonly timeline: number
  /** How many bytes of the log it has. */
  readonly position: number
  /** The system identifier, which all servers of a cluster have in common. */
  readonly cluster: string
  /** When the server started: the same through all its addresses, and no other server's. */
  readonly server: string
}

/** A host, and what it answered last. */
export interface Host {
  readonly name: string
  /** Nothing if it did not answer. */
  readonly seen?: Seen | undefined
  /** Why it did not answer. */
  readonly failure?: string
  /** Whether it may answer later. */
  readonly isAway?: boolean
}

/** What becomes of a host, with a sentence that says why. */
export interface State {
  readonly role: HostState["role"]
  readonly text: string
  /** It answers, and is wrong. */
  readonly isIgnored: boolean
  /** Whether it may be the primary later, without any change to the URL. */
  readonly mayServe: boolean
}

/** What a process has seen of a cluster: its newest timeline, and the server and the hosts that were its primary. */
interface Known {
  readonly timeline: number
  readonly primary?: { readonly server: string; readonly names: ReadonlySet<string> } | undefined
}

/** By the system identifiers of clusters. */
export type Memory = Map<string, Known>

const ofProcess: Memory = new Map()

/** The function that chooses among the hosts of one cluster. */
export const make = (memory: Memory = ofProcess) => {
  let cluster: string | undefined
  /** Of several addresses of the primary, the one that is used is kept. */
  return <H extends Host>(hosts: ReadonlyArray<H>, current?: H) => {
    const answered = hosts.flatMap(({ seen }) => (seen === undefined ? [] : [seen]))
    const clusters = new Set(answered.map(({ cluster }) => cluster))
    if (cluster === undefined && clusters.size === 1) [cluster] = clusters
    const known = memory.get(cluster ?? "")
    const ours = answered.filter((seen) => seen.cluster === cluster)
    const timelines = ours.map((seen) => seen.timeline)
    const timeline = Math.max(known?.timeline ?? 0, ...timelines)
    const used = known?.timeline === timeline ? known.primary : undefined
    const isPrimary = ({ seen }: H) =>
      seen?.cluster === cluster && seen?.role !== "standby" && seen?.timeline === timeline
    const primaries = hosts.filter(isPrimary)
    // Nothing tells which of two is right, so neither is used: not even the one that was, as others may use the other.
    const isOne = new Set(primaries.map(({ seen }) => seen?.server)).size === 1
    const isUsed = ({ name, seen }: H) => used?.server === seen?.server || used?.names.has(name)
    const right = isOne && (used === undefined || primaries.some(isUsed)) ? primaries : []
    const primary = right.find((host) => host === current) ?? right[0]
    if (cluster !== undefined) {
      const names = new Set([...(used?.names ?? []), ...right.map(({ name }) => name)])
      memory.set(cluster, {
        timeline,
        primary: primary?.seen ? { server: primary.seen.server, names } : used
      })
    }

    const stateOf = (host: H): State => {
      const { failure = "no answer yet", isAway = false, name, seen } = host
      const is = (
        role: State["role"],
        text: string,
        { isIgnored = false, mayServe = false }: Partial<State> = {}
      ): State => ({ role, text: `${name} ${text}`, isIgnored, mayServe })
      if (seen === undefined)
        return is("unknown", `does not answer (${failure})`, { mayServe: isAway })
      if (cluster === undefined) return is("unknown", `has the system identifier ${seen.cluster}`)
      if (seen.cluster !== cluster) {
        const others = `system identifier ${seen.cluster}, not ${cluster}`
        return is("unknown", `belongs to another cluster (${others}): ${unused}`, {
          isIgnored: true
        })
      }
      if (seen.role === "standby") return is("standby", "is a standby", { mayServe: true })
      // Hosts that were not asked for their role.
      if (seen.role === "unknown")
        return is("unknown", host === primary ? "is used" : "is not used")
      if (host === primary) return is("primary", "is the primary")
      if (seen.timeline < timeline) {
        const older = `timeline ${seen.timeline}, the newest is ${timeline}`
        const text = `is an old primary (${older}): ${unused} until it is a standby`
        return is("unknown", text, { isIgnored: true, mayServe: true })
      }
      if (right.length > 0) return is("primary", `is another address of ${primary?.name}`)
      const rivals = isOne ? [...(used?.names ?? [])] : primaries.map(({ name }) => name)
      const others = rivals.filter((rival) => rival !== name).join(", ")
      const fix = isOne ? "restart the service if this one is right" : "stop those that are wrong"
      const same = `is a primary of timeline ${timeline}`
      return is("unknown", `${same}, as ${isOne ? "was" : "is"} ${others}: ${unused}; ${fix}`, {
        isIgnored: true
      })
    }
    return {
      primary,
      /** Whether this process has chosen none before. */
      isFirst: known?.primary === undefined,
      /** Whether the hosts do not belong together. */
      isMixed: cluster === undefined && clusters.size > 1,
      stateOf
    }
  }
}

const unused = "it gets no connections"
