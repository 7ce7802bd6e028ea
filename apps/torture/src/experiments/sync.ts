/** What is synced before an answer. */
import { createReadStream, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"

const writers = 32

export const sync: Experiment = {
  name: "sync",
  attack: "all system calls are traced under 32 writers: before each 201, its pet must be synced",
  databases: ["sqlite"],
  needs: ["Linux", "strace"],
  seconds: 2,
  least: { acknowledged: 50, "syncs of the log": 5 },
  control: {
    broken: "SQLite syncs before checkpoints only (`synchronous = NORMAL`)",
    sabotage: "synchronous-normal"
  },
  run: ({ count, sabotage, seconds, wrong }) =>
    Effect.gen(function* () {
      const folder = yield* Storage.folder
      const trace = join(folder, "trace")
      const { url } = Storage.sqlite(folder)
      const wrapper = [...strace, "-o", trace]
      const service = yield* Service.started({ url, sabotage, wrapper })
      const until = performance.now() + seconds * 1000
      let names = 0
      let acknowledged = 0
      const writer = async () => {
        while (performance.now() < until) {
          const sent = { name: `sync-${++names};`, categoryId: names }
          if ((await Load.add(service.port, sent)).status === 201) acknowledged += 1
        }
      }
      yield* Effect.promise(() => Promise.all(Array.from({ length: writers }, writer)))
      const pid = service.pid() ?? 0
      yield* service.stop
      const { answered, early, syncs } = yield* Effect.promise(() => read(trace, pid))
      if (answered !== acknowledged)
        return yield* Effect.dieMessage(`the trace has ${answered} of ${acknowledged} answers`)
      count("acknowledged", acknowledged)
      count("syncs of the log", syncs)
      if (early > 0) wrong(`${early} of ${answered} pets were acknowledged before they were synced`)
      return undefined
    })
}

/** Strings are long enough for a page of the file, or an answer. */
const strace = [
  ...["strace", "-D", "-f", "--seccomp-bpf", "-y", "-s", "4200"],
  ...["-e", "trace=pwrite64,fsync,fdatasync,write,writev,sendto,sendmsg", "-e", "signal=none"]
]

/** Follows each pet: written, committed with its transaction, synced, answered. */
const read = async (trace: string, pid: number) => {
  await hasEnded(trace, pid)
  let isLastFrame = false
  let written: Array<string> = []
  let committed: Array<string> = []
  const seen = new Set<string>()
  const synced = new Set<string>()
  const syncing = new Map<string, ReadonlyArray<string>>()
  const counts = { answered: 0, early: 0, syncs: 0 }
  const endSync = (thread: string, result: string) => {
    const names = syncing.get(thread)
    if (names === undefined || !result.endsWith("= 0")) return
    for (const name of names) synced.add(name)
    syncing.delete(thread)
    counts.syncs += 1
  }
  const page = (text: string) => {
    for (const name of namesIn(text)) {
      // Later versions of its page have the pet, too.
      if (!seen.has(name)) written.push(name)
      seen.add(name)
    }
    if (!isLastFrame) return
    committed.push(...written)
    written = []
  }
  for await (const line of createInterface(createReadStream(trace))) {
    const [, thread = "", resumed, call = resumed, path = "", text = ""] =
      /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\(\d+<([^>]*)>)(.*)$/.exec(line) ?? []
    if (resumed !== undefined) endSync(thread, text)
    else if (path.endsWith("-wal") && call === "pwrite64") {
      const [, bytes = "", length] = /^, "(.*)"\.*, (\d+), \d+/.exec(text) ?? []
      if (length === frameHeader) isLastFrame = bytesOf(bytes).readUInt32BE(4) !== 0
      else page(bytes)
    } else if (path.endsWith("-wal")) {
      syncing.set(thread, committed)
      committed = []
      endSync(thread, text)
    } else if (text.includes('"HTTP/1.1 201 ')) {
      for (const name of namesIn(text)) {
        counts.answered += 1
        if (!synced.has(name)) counts.early += 1
      }
    }
  }
  return counts
}

/** The length of what SQLite writes before each page: at 4, the size of the database after a commit, else 0. */
const frameHeader = "24"

const namesIn = (text: string) => text.match(/sync-\d+;/g) ?? []

/** The bytes of a string as strace prints it. */
const bytesOf = (text: string) =>
  Buffer.from(
    text.replaceAll(/\\([0-7]{1,3}|.)/g, (_, code: string) =>
      /\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (special[code] ?? code)
    ),
    "latin1"
  )

const special: Readonly<Record<string, string>> = { f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }

/** The trace is complete a moment after the process has ended. */
const hasEnded = (trace: string, pid: number) => {
  const end = new RegExp(`^${pid} +\\+\\+\\+ `, "m")
  return Wait.until(async () => {
    const start = Math.max(0, statSync(trace).size - 1000)
    return end.test(await text(createReadStream(trace, { start })))
  })
}
