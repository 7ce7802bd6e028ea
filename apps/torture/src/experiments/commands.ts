/** Commands that are killed, or lose their database. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
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
  promise:
    "a command that is killed, or whose primary is lost, has done all of its work or none, and works the next time",
  attack:
    "SIGKILL of import, export, backup and restore (SQLite) at random times beside 8 writers, then of copy; on PostgreSQL half of the time of the primary of two instead",
  databases: ["sqlite", "postgres"],
  needs: [],
  seconds: secondsPerCycle,
  least: { hit: 2, completed: 3, "pets read": 1000 },
  control: "an import adds a part of its pets",
  run: ({ database, isControl, random, seconds, show }) =>
    Effect.gen(function* () {
      const cwd = yield* Storage.folder
      const to = (file: string) => `sqlite:${join(cwd, file)}`
      const servers = database === "sqlite" ? undefined : yield* Storage.replicated("synchronous")
      const url = servers?.urlOf("postgres", "read-write") ?? Storage.sqlite(cwd).url
      const { port } = yield* Service.started({ url })
      const load = yield* Load.make({ ports: [port], writers: 8 })
      const figures = { hit: 0, completed: 0, "pets read": 0 }
      const wrong: Array<string> = []
      /** The files that were imported, and the exit code. */
      const imports = new Map<string, number | null>()
      let files = 0
      const sabotage = isControl ? "partial-import" : undefined

      /** Runs a command to its end, or hits it at a random time. */
      const run = (isHit: boolean, ...words: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const command = yield* Service.command(words, { url, cwd, sabotage })
          if (isHit) {
            yield* Effect.sleep(random.next() * commandMillis)
            if (command.process.exitCode === null) figures.hit += 1
            if (servers === undefined || random.next() < 0.5) command.process.kill("SIGKILL")
            else {
              servers.kill()
              yield* Effect.promise(servers.promote)
              yield* Effect.promise(servers.rejoin)
            }
          }
          const { code, stderr, stdout } = yield* command.ended
          if (code === 0) figures.completed += 1
          else if (!isHit) wrong.push(`${words[0]} exited with ${code}: ${stderr}`)
          return { code, stdout }
        })
      /** The pets of a file were read since then. */
      const read = (file: string, begin: number) =>
        Effect.gen(function* () {
          const text = file.endsWith(".db")
            ? (yield* run(false, "export", "-", "--database", to(file))).stdout
            : readFileSync(join(cwd, file), "utf8")
          const pets = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
          figures["pets read"] += pets.length
          const end = performance.now()
          load.history.push({ kind: "list", after: 0, isLast: true, pets, begin, end })
        })
      /** Makes files. Those that are there are whole. Returns the last one. */
      const make = (
        ending: string,
        since: number,
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

      const cycles = Math.max(1, Math.round(seconds / secondsPerCycle))
      for (let nth = 1; nth <= cycles; nth++) {
        for (const isHit of [true, false]) {
          const file = `${++files}.ndjson`
          const sent = Array.from({ length: petsPerImport }, (_, nth) => ({
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
        yield* make(".ndjson", since, (file) => ["export", file])
        if (servers === undefined) {
          const backup = yield* make(".db", since, (file) => ["backup", file])
          yield* make(".db", since, (file) => ["restore", backup, "--database", to(file)])
        }
        yield* show(`cycle ${nth} of ${cycles}: ${JSON.stringify(figures)}`)
      }
      yield* load.stop
      // It ends once it has all, so not beside writers.
      for (const isHit of [true, false]) yield* run(isHit, "copy", url, to("copy.db"))
      yield* read("copy.db", performance.now())
      const all = (yield* Load.catalogue(port)).flatMap(({ pets }) => pets)
      for (const [file, code] of imports) {
        const many = all.filter(({ name }) => name.startsWith(`${file} `)).length
        if (many !== petsPerImport && (code === 0 || many > 0))
          wrong.push(`of ${petsPerImport} pets that were imported, ${many} are there`)
      }
      return { figures, wrong: [...wrong, ...(yield* Load.judge(load, port, 0))] }
    })
}
