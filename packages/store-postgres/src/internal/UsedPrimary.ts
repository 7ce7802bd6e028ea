/** The primary that connections go to: moves them when another one is chosen, and says what to log. */
import { NoPrimary } from "../NoPrimary.ts"
import * as PrimaryChoice from "./PrimaryChoice.ts"

/** What became of each host last, for the whole process: a command opens its database more than once. */
const ofProcess = new Map<string, string>()

/** What follows the choice among these hosts. */
export const make = <H extends PrimaryChoice.Host>(
  hosts: ReadonlyArray<H>,
  /** Closes all connections. */
  drop: () => void,
  told = ofProcess
) => {
  const choose = PrimaryChoice.make()
  let choice: ReturnType<typeof choose<H>> | undefined
  let used:
    | { readonly host: H; readonly label: string; state: "open" | "silent" | "closed" }
    | undefined
  const stateOf = (host: H): PrimaryChoice.State =>
    choice?.stateOf(host) ?? { role: "unknown", text: host.name, isIgnored: false, mayServe: true }
  const problem = () => {
    const states = hosts.map(stateOf)
    const what = choice?.isMixed ? "the hosts belong to different clusters" : "no host can be used"
    return new NoPrimary(
      `${what}: ${states.map(({ text }) => text).join(", ")}`,
      states.some(({ mayServe }) => mayServe)
    )
  }

  /** The hosts that answer and are wrong; each once, until something else becomes of it. */
  const ignored = () =>
    hosts.flatMap((host) => {
      const { isIgnored, text } = stateOf(host)
      const isNew = isIgnored && told.get(host.name) !== text
      if (host.seen !== undefined) told.set(host.name, text)
      return isNew ? [text] : []
    })

  const lose = (asked: ReadonlyArray<H>): ReadonlyArray<string> => {
    if (used === undefined || used.state === "closed") return []
    if (used.host.seen !== undefined) {
      drop()
      used.state = "closed"
      return [`connections to ${used.label} are closed: ${problem().message}`]
    }
    if (used.state === "silent" || !asked.includes(used.host)) return []
    // It keeps its connections: perhaps only those that ask do not reach it.
    used.state = "silent"
    return [problem().message]
  }

  const use = (host: H, isFirst: boolean): ReadonlyArray<string> => {
    const before = used
    const label = labelOf(host)
    used = { host, label, state: "open" }
    if (before !== undefined && before.label !== label) {
      drop()
      return [`connections move from ${before.label} to ${label}`]
    }
    if (before !== undefined && before.state !== "open") return [`connections go to ${label} again`]
    const silent =
      isFirst && host.seen?.timeline ? hosts.filter(({ seen }) => seen === undefined) : []
    return silent.map(
      (one) => `${stateOf(one).text}; if it was promoted, ${label} is an old primary`
    )
  }

  return {
    stateOf,
    /** Why there is none. */
    problem,
    isMixed: () => choice?.isMixed === true,
    /** None if it did not answer last. */
    found: () => (choice?.primary?.seen === undefined ? undefined : choice.primary),
    /** Chooses after these were asked, and returns what to log. */
    settle: (asked: ReadonlyArray<H>): ReadonlyArray<string> => {
      choice = choose(hosts, used?.host)
      const { isFirst, primary } = choice
      return [...ignored(), ...(primary === undefined ? lose(asked) : use(primary, isFirst))]
    }
  }
}

/** A host with its timeline, if it was asked for it. */
const labelOf = ({ name, seen }: PrimaryChoice.Host): string =>
  seen?.timeline ? `${name} (timeline ${seen.timeline})` : name
