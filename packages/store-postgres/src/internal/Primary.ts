/**
 * Chooses the primary among hosts: that of the newest timeline that this process has ever seen. A promotion starts a new
 * timeline, so a primary of an older one was replaced, and a second primary of the newest one was not promoted after it.
 */
import { NoPrimary } from "../NoPrimary.ts"
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

/** A host, and what it answered last: `seen`, or why it did not answer. Neither if that is not known yet. */
export interface Host {
  readonly name: string
  seen?: Seen | undefined
  failure?: string | undefined
  /** Whether it may answer later. */
  isAway?: boolean
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

/** The newest timeline of each cluster, for the whole process: a command opens its database more than once. */
const timelines = new Map<string, number>()
/** What was said of hosts. */
const told = new Set<string>()

const unused = "it gets no connections"

/** The primary among these hosts; `drop` closes all connections. */
export const make = <H extends Host>(hosts: ReadonlyArray<H>, drop: () => void) => {
  let cluster: string | undefined
  let newest = 0
  /** The name and the server of each host that was the primary of the newest timeline. */
  const known = new Set<string | undefined>()
  let primaries: ReadonlyArray<H> = []
  let primary: H | undefined
  let used: { readonly host: H; readonly label: string } | undefined
  let isLost = false

  const isMixed = () =>
    cluster === undefined && new Set(hosts.flatMap(({ seen }) => seen?.cluster ?? [])).size > 1

  const isPrimary = (seen: Seen | undefined) =>
    seen?.cluster === cluster && seen?.role !== "standby" && (seen?.timeline ?? -1) >= newest

  const choose = () => {
    if (!isMixed()) cluster ??= hosts.find(({ seen }) => seen !== undefined)?.seen?.cluster
    if (cluster === undefined) return
    const seen = hosts.map(({ seen }) => (seen && seen.cluster === cluster ? seen.timeline : 0))
    const timeline = Math.max(timelines.get(cluster) ?? 0, ...seen)
    if (timeline > newest) known.clear()
    newest = timeline
    timelines.set(cluster, newest)
    primaries = hosts.filter(({ seen }) => isPrimary(seen))
    // Nothing tells which of two is right, so neither is used: not even the one that was, as others may use the other.
    const isOne = new Set(primaries.map(({ seen }) => seen?.server)).size === 1
    const isKnown = ({ name, seen }: H) => known.has(name) || known.has(seen?.server)
    const right = isOne && (known.size === 0 || primaries.some(isKnown)) ? primaries : []
    for (const { name, seen } of right) known.add(name).add(seen?.server)
    // Of several addresses of the primary, the one that is used is kept.
    primary = right.find((host) => host === used?.host) ?? right[0]
  }

  const stateOf = (host: H): State => {
    const { failure = "no answer yet", isAway = false, name, seen } = host
    const is = (text: string, state: Partial<State> = {}): State => ({
      ...{ role: "unknown", text: `${name} ${text}`, isIgnored: false, mayServe: false },
      ...state
    })
    if (seen === undefined) return is(`does not answer (${failure})`, { mayServe: isAway })
    if (cluster === undefined) return is(`has the system identifier ${seen.cluster}`)
    if (seen.cluster !== cluster) {
      const others = `system identifier ${seen.cluster}, not ${cluster}`
      return is(`belongs to another cluster (${others}): ${unused}`, { isIgnored: true })
    }
    if (seen.role === "standby") return is("is a standby", { role: "standby", mayServe: true })
    // Hosts that were not asked for their role.
    if (seen.role === "unknown") return is(host === primary ? "is used" : "is not used")
    if (host === primary) return is("is the primary", { role: "primary" })
    if (seen.timeline < newest) {
      const older = `timeline ${seen.timeline}, the newest is ${newest}`
      const text = `is an old primary (${older}): ${unused} until it is a standby`
      return is(text, { isIgnored: true, mayServe: true })
    }
    if (primary !== undefined)
      return is(`is another address of ${primary.name}`, { role: "primary" })
    const rivals = primaries.filter((other) => other.seen?.server !== seen.server)
    const why =
      rivals.length > 0
        ? `as is ${rivals.map((rival) => rival.name).join(", ")}: ${unused}; stop those that are wrong`
        : `as was ${used?.host.name}: ${unused}; restart the service if this one is right`
    return is(`is a primary of timeline ${seen.timeline}, ${why}`, { isIgnored: true })
  }

  /** Why there is none. */
  const problem = () => {
    const states = hosts.map(stateOf)
    const what = isMixed() ? "the hosts belong to different clusters" : "no host can be used"
    const mayAppear = states.some(({ mayServe }) => mayServe)
    return new NoPrimary(`${what}: ${states.map(({ text }) => text).join(", ")}`, mayAppear)
  }

  /** Chooses after hosts have answered, and returns what to log. */
  const settle = (): ReadonlyArray<string> => {
    choose()
    const states = hosts.map(stateOf)
    const news = states.flatMap(({ isIgnored, text }) => (isIgnored ? [text] : []))
    const messages: Array<string> = []
    if (primary !== undefined) {
      const timeline = primary.seen?.timeline
      const label = timeline ? `${primary.name} (timeline ${timeline})` : primary.name
      if (used === undefined && timeline) {
        const silent = states.filter((_, nth) => hosts[nth]?.seen === undefined)
        for (const { text } of silent)
          news.push(`${text}; if it was promoted, ${label} is an old primary`)
      } else if (used !== undefined && used.label !== label) {
        drop()
        messages.push(`connections move from ${used.label} to ${label}`)
      } else if (isLost) messages.push(`connections go to ${label} again`)
      used = { host: primary, label }
      isLost = false
    } else if (used?.host.seen ?? used?.host.failure) {
      // One that does not answer keeps its connections: perhaps only new ones do not reach it.
      if (used?.host.seen !== undefined) drop()
      if (!isLost) messages.push(problem().message)
      isLost = true
    }
    const isNew = (text: string) => !told.has(text) && told.add(text)
    return [...news.filter(isNew), ...messages]
  }

  return {
    /** None if it did not answer last. */
    found: () => (primary?.seen === undefined ? undefined : primary),
    isMixed,
    isPrimary,
    problem,
    settle,
    stateOf
  }
}
