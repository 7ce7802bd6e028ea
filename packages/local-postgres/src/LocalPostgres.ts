/** A PostgreSQL server in a folder of its own. */
import { fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
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
  await administer(port, `CREATE DATABASE ${name}`)
  return urlOf(name, port)
}

/** Runs a statement in the server's own database. */
export const administer = (port: number, sql: string): Promise<void> =>
  execute(urlOf("postgres", port), sql)

/** Runs a statement in a database, as another program would. */
export const execute = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client(url)
  client.on("error", () => {})
  await client.connect()
  try {
    await client.query(sql)
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
  "max_connections=400"
]

/** Starts a server on a free port, with an empty data folder and settings such as `fsync=off`. */
export const start = (...settings: ReadonlyArray<string>): Promise<LocalPostgres> =>
  startWith(settings, async () => {})

/** Starts a server whose data folder is filled by a function. */
export const startWith = async (
  settings: ReadonlyArray<string>,
  fill: (server: Pick<LocalPostgres, "data" | "port">) => Promise<void>,
  tries = 5
): Promise<LocalPostgres> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "petstore-postgres-"))
  chmodSync(folder, 0o755)
  const data = join(folder, "data")
  await fill({ data, port })
  const child = fork(program, [data, String(port), ...defaults, ...settings], {
    // Ctrl-C on a terminal must not end it before the process that started it has stopped using it.
    detached: true,
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  /** Asks the process of the server for something, and returns whether it was done. */
  const ask = (command: "start" | "stop") => {
    const answer = new Promise<boolean>((resolve) => child.once("message", resolve))
    child.send(command)
    return Promise.race([answer, ended.then(() => false)])
  }
  /** The process stops the server when it is disconnected. */
  const remove = async () => {
    if (child.connected) child.disconnect()
    await ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  if (!(await ask("start"))) {
    await remove()
    if (tries === 1) throw new Error("PostgreSQL does not start")
    // Another process may have taken the port before the server did.
    return startWith(settings, fill, tries - 1)
  }
  return {
    port,
    data,
    createDatabase: () => createDatabase(port),
    stop: async () => {
      if (child.connected) await ask("stop")
    },
    kill: () => {
      process.kill(pidOf(data), "SIGKILL")
    },
    start: async () => {
      // Processes of a server that was killed take a moment to end; until then it does not start.
      for (let tries = 0; !(await ask("start")); tries++) {
        if (tries === 100) throw new Error("PostgreSQL does not start")
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    remove
  }
}

const program = fileURLToPath(new URL("ServerProcess.js", import.meta.url))
const defaults = ["max_connections=200", "listen_addresses=127.0.0.1", "unix_socket_directories="]

/** A port of 127.0.0.1 that nothing listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  await once(server.close(), "close")
  return typeof address === "object" && address ? address.port : 0
}
