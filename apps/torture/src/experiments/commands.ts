/** Commands that are killed, or lose their database. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"

const petsPerImport = 300
/** About how long a command takes. */
const commandMillis = 1000
const secondsPerCycle = 8

/** Each command runs twice beside writers: once it is hit at a random time, and then it must do its work. */
export const commands: Experiment = {
  name: "commands",
  attack:
    "SIGKILL of import, export, backup, restore and copy at random times under 8 writers; on PostgreSQL half of the time of the primary of two",
  databases: ["sqlite", "postgres"],
  seconds: secondsPerCycle,
  least: { hit: 2, completed: 3, "pets read": 1000 },
  controls: [{ broken: "an import adds a part of its pets", sabotage: "partial-import" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { count, database, random, sabotage, seconds, wrong } = trial
      const cwd = yield* Storage.folder
      const to = (file: string) => `sqlite:${join(cwd, file)}`
      const servers = database === "sqlite" ? undefined : yield* Storage.replicated("synchronous")
      const url = servers?.urlOf("postgres") ?? Storage.sqlite(cwd).url
      const { port } = yield* Service.started({ url })
      const load = yield* Load.make({ ports: [port], writers: 8 })
      /** The files that were imported, and the exit code. */
      const imports = new Map<string, number | null>()
      let files = 0

      /** Runs a command to its end, or hits it at a random time. */
      const run = (isHit: boolean, ...words: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const command = yield* Service.command(words, { url, cwd, sabotage })
          if (isHit) {
            yield* Effect.sleep(random.next() * commandMillis)
            if (command.process.exitCode === null) count("hit")
            if (servers === undefined || random.next() < 0.5) command.process.kill("SIGKILL")
            else {
              servers.primary().kill()
              yield* Effect.promise(servers.promote)
              yield* Effect.promise(servers.rejoin)
            }
          }
          const { code, stderr, stdout } = yield* command.ended
          if (code === 0) count("completed")
          else if (!isHit) wrong(`${words[0]} exited with ${code}: ${stderr}`)
          return { code, stdout }
        })
      /** The pets of a file were read since then. */
      const read = (file: string, begin: number) =>
        Effect.gen(function* () {
          const text = file.endsWith(".db")
            ? (yield* run(false, "export", "-", "--database", to(file))).stdout
            : readFileSync(join(cwd, file), "utf8")
          const pets = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
          count("pets read", pets.length)
          const end = performance.now()
          load.history.push({ kind: "list", after: 0, isLast: true, pets, begin, end })
        })
      /** Makes files. Those that are there are whole. Returns the last one. */
      const make = (
        since: number,
        ending: string,
        words: (file: string) => ReadonlyArray<string>
      ) =>
        Effect.gen(function* () {
          const made = [`${++files}${ending}`, `${++files}${ending}`] as const
          for (const file of made) {
            yield* run(file === made[0], ...words(file))
            if (existsSync(join(cwd, file))) yield* read(file, since)
          }
          return made[1]
        })

      for (let nth = Math.max(1, Math.round(seconds / secondsPerCycle)); nth > 0; nth--) {
        for (const isHit of [true, false]) {
          const file = `${++files}.ndjson`
          const sent = Arr.makeBy(petsPerImport, (nth) => ({
            name: `${file} ${nth}`,
            categoryId: nth
          }))
          writeFileSync(join(cwd, file), sent.map((pet) => JSON.stringify(pet)).join("\n"))
          const [kind, begin] = ["create" as const, performance.now()]
          imports.set(file, (yield* run(isHit, "import", file)).code)
          for (const one of sent)
            load.history.push({ kind, sent: one, status: 0, begin, end: Infinity })
        }
        const since = performance.now()
        yield* make(since, ".ndjson", (file) => ["export", file])
        if (servers !== undefined) continue
        const backup = yield* make(since, ".db", (file) => ["backup", file])
        yield* make(since, ".db", (file) => ["restore", backup, "--database", to(file)])
      }
      yield* load.stop
      // It ends once it has all, so not beside writers.
      for (const isHit of [true, false]) yield* run(isHit, "copy", url, to("copy.db"))
      yield* read("copy.db", performance.now())
      const all = (yield* Load.catalogue(port)).flatMap(({ pets }) => pets)
      for (const [file, code] of imports) {
        const many = all.filter(({ name }) => name.startsWith(`${file} `)).length
        if (many !== petsPerImport && (code === 0 || many > 0))
          wrong(`of ${petsPerImport} pets that were imported, ${many} are there`)
      }
      yield* Load.ended(trial, load, port, 0)
    })
}
