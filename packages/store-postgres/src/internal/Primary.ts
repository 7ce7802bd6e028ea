/**
 * Chooses the primary among hosts: that of the newest timeline that this process has ever seen. A promotion starts a new
 * timeline, so a primary of an older one was replaced, and a second primary of the newest one was not promoted after it.
 */
import { NoPrimary } from "../NoPrimary.ts"

/** What a host answers. */
export interface Seen {
  readonly isStandby: boolean
  /** Of a standby it is that of its last restartpoint. */
  readonly timeline: number
  /** The system identifier, which all servers of a cluster have in common. */
  readonly cluster: string
}

/** A host, and what it answered last: `seen`, or why it did not answer. Neither if that is not known yet. */
export interface Host {
  readonly name: string
  seen?: Seen | undefined
  failure?: string | undefined
  /** Whether it may answer later. */
  isAway?: boolean
}

/** What becomes of a host, as a sentence. */
export interface State {
  readonly text: string
  /** It does not answer, or gets no connections though it accepts writes. */
  readonly isProblem: boolean
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
  let primary: H | undefined
  /** The primary that was chosen last. */
  let used: { readonly host: H; readonly timeline: number } | undefined

  const isPrimary = (seen: Seen | undefined) =>
    seen?.cluster === cluster && seen?.isStandby === false && seen.timeline >= newest

  const choose = () => {
    const clusters = new Set(hosts.flatMap(({ seen }) => seen?.cluster ?? []))
    if (clusters.size === 1) cluster ??= [...clusters][0]
    if (cluster === undefined) return
    const seen = hosts.map(({ seen }) => (seen && seen.cluster === cluster ? seen.timeline : 0))
    newest = Math.max(timelines.get(cluster) ?? 0, ...seen)
    timelines.set(cluster, newest)
    const [first, ...others] = hosts.filter(({ seen }) => isPrimary(seen))
    // Nothing tells which of two is right, so neither is used: not even the one that was, as others may use the other.
    const isRival = used?.timeline === newest && used.host !== first
    primary = others.length > 0 || isRival ? undefined : first
  }

  const stateOf = (host: H): State => {
    const { failure = "no answer yet", isAway = true, name, seen } = host
    const good = (text: string) => ({ text: `${name} ${text}`, isProblem: false, mayServe: true })
    const bad = (text: string, mayServe: boolean) => ({ ...good(text), isProblem: true, mayServe })
    if (seen === undefined) return bad(`does not answer (${failure})`, isAway)
    if (seen.cluster !== cluster) {
      const other = `system identifier ${seen.cluster}`
      return bad(`belongs to another cluster (${other}): ${unused}`, false)
    }
    if (seen.isStandby) return good("is a standby")
    if (host === primary) return good("is the primary")
    if (seen.timeline < newest) {
      const older = `timeline ${seen.timeline}, the newest is ${newest}`
      return bad(`is an old primary (${older}): ${unused} until it is a standby`, true)
    }
    const another = `is another primary of timeline ${newest}, or the same by another name`
    return bad(`${another}: ${unused}; keep one, and restart the service`, false)
  }

  /** Why there is none. */
  const problem = () => {
    const states = hosts.map(stateOf)
    const mayAppear = states.some(({ mayServe }) => mayServe)
    const texts = states.map(({ text }) => text)
    return new NoPrimary(`no host can be used: ${texts.join(", ")}`, mayAppear)
  }

  let target: string | undefined
  /** Chooses after hosts have answered, and returns what to log. */
  const settle = (): ReadonlyArray<string> => {
    choose()
    const isFirst = primary !== undefined && used === undefined
    const isNews = (host: H) => stateOf(host).isProblem && (isFirst || host.seen !== undefined)
    const news = hosts
      .filter(isNews)
      .map((host) => stateOf(host).text)
      .filter((text) => !told.has(text) && told.add(text))
    const before = target
    target = primary && `${primary.name} (timeline ${newest})`
    const isMoved = primary !== used?.host || used?.timeline !== newest
    // One that does not answer keeps its connections: perhaps only new ones do not reach it.
    if (used && isMoved && (primary ?? used.host.seen) !== undefined) drop()
    if (used && target !== before)
      news.push(target ? `connections go to ${target}` : problem().message)
    if (primary !== undefined) used = { host: primary, timeline: newest }
    return news
  }

  return {
    /** None if it did not answer last. */
    found: () => (primary?.seen === undefined ? undefined : primary),
    isPrimary,
    problem,
    settle,
    stateOf
  }
}
