/** Debian's PostgreSQL with Patroni, which promotes the standby by itself, etcd, and HAProxy, which finds the primary. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import type * as Load from "./Load.ts"
import type * as Service from "./Service.ts"
import * as Wait from "./Wait.ts"

/** A PostgreSQL with a standby. */
export interface Servers extends Pick<Service.Options, "sabotage"> {
  readonly url: string
  /** Kills the primary under this load. */
  readonly kill: (load: Load.Load) => Promise<void>
  /** Lets the standby take over, and returns what happened. */
  readonly promote: () => Promise<string>
  /** Starts the old primary as the standby. */
  readonly rejoin: () => Promise<void>
}

/** PostgreSQL does not run as root. */
const idOf = (option: "-u" | "-g") => Number(execFileSync("id", [option, "postgres"]))

const ready = async (url: string) => {
  const response = await fetch(url).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.status === 200
}

const until = async (condition: Wait.Condition) => {
  if (!(await Wait.until(condition, 120_000))) throw new Error("it takes too long")
}

/** Starts them. A primary is lost with its Patroni, as with its machine, or alone. */
export const start = async (
  loss: "machine" | "server"
): Promise<Servers & { readonly remove: () => Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-patroni-"))
  chmodSync(folder, 0o777)
  const ports: Array<number> = []
  while (ports.length < 7) {
    const port = await LocalPostgres.freePort()
    if (!ports.includes(port)) ports.push(port)
  }
  const [etcdPort = 0, peerPort = 0, proxyPort = 0, ...others] = ports
  const children = new Set<ChildProcess>()
  const run = (command: string, ...words: ReadonlyArray<string>) => {
    const child = spawn(command, words, {
      uid: idOf("-u"),
      gid: idOf("-g"),
      stdio: "ignore",
      env: { ...process.env, ETCD_UNSUPPORTED_ARCH: "arm64", HOME: folder },
      cwd: folder
    })
    children.add(child)
    child.once("exit", () => children.delete(child))
    return child
  }
  const end = async (child: ChildProcess | undefined, signal: "SIGTERM" | "SIGKILL") => {
    if (child === undefined || !children.has(child)) return
    const ended = once(child, "exit")
    child.kill(signal)
    await ended
  }

  const etcd = run(
    "etcd",
    ...["--data-dir", join(folder, "etcd"), "--unsafe-no-fsync"],
    ...["--listen-client-urls", `http://127.0.0.1:${etcdPort}`],
    ...["--advertise-client-urls", `http://127.0.0.1:${etcdPort}`],
    ...["--listen-peer-urls", `http://127.0.0.1:${peerPort}`],
    ...["--initial-advertise-peer-urls", `http://127.0.0.1:${peerPort}`],
    ...["--initial-cluster", `default=http://127.0.0.1:${peerPort}`]
  )
  await until(() => ready(`http://127.0.0.1:${etcdPort}/health`))

  const nodes = ["a", "b"].map((name, nth) => {
    const [port = 0, rest = 0] = others.slice(2 * nth)
    const data = join(folder, name, "data")
    mkdirSync(join(folder, name))
    chmodSync(join(folder, name), 0o777)
    const file = join(folder, `${name}.yml`)
    // Patroni reads YAML, and JSON is YAML.
    writeFileSync(file, JSON.stringify(configurationOf({ name, port, rest, data, etcdPort })))
    let patroni: ChildProcess | undefined
    return {
      name,
      port,
      rest,
      is: (role: "primary" | "synchronous") => ready(`http://127.0.0.1:${rest}/${role}`),
      isRunning: () => patroni !== undefined && children.has(patroni),
      start: () => {
        patroni = run("patroni", file)
      },
      kill: async () => {
        // First Patroni, which would start the server again.
        if (loss === "machine") await end(patroni, "SIGKILL")
        process.kill(LocalPostgres.pidOf(data), "SIGKILL")
      },
      stop: () => end(patroni, "SIGTERM")
    }
  })
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new Error("there are two")
  first.start()
  await until(() => first.is("primary"))
  second.start()
  await until(() => second.is("synchronous"))

  writeFileSync(join(folder, "haproxy.cfg"), proxyOf(proxyPort, nodes))
  const proxy = run("haproxy", "-db", "-f", join(folder, "haproxy.cfg"))
  await until(() =>
    LocalPostgres.administer(proxyPort, "SELECT 1").then(
      () => true,
      () => false
    )
  )

  let [primary, standby] = [first, second]
  return {
    url: LocalPostgres.urlOf("postgres", proxyPort),
    kill: () => primary.kill(),
    promote: async () => {
      await until(() => standby.is("primary"))
      ;[primary, standby] = [standby, primary]
      return `Patroni has promoted the standby at port ${primary.port}`
    },
    rejoin: async () => {
      if (!standby.isRunning()) standby.start()
      await until(() => standby.is("synchronous"))
    },
    remove: async () => {
      await end(proxy, "SIGTERM")
      await Promise.all(nodes.map(({ stop }) => stop()))
      await end(etcd, "SIGTERM")
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    }
  }
}

interface Node {
  readonly name: string
  readonly port: number
  readonly rest: number
}

const login = { username: LocalPostgres.user, password: LocalPostgres.password }

/** One node of Patroni. */
const configurationOf = (node: Node & { readonly data: string; readonly etcdPort: number }) => ({
  scope: "petstore",
  name: node.name,
  restapi: { listen: `127.0.0.1:${node.rest}`, connect_address: `127.0.0.1:${node.rest}` },
  etcd3: { hosts: `127.0.0.1:${node.etcdPort}` },
  bootstrap: {
    dcs: {
      ttl: 20,
      loop_wait: 2,
      retry_timeout: 3,
      // A server that crashed is not waited for.
      primary_start_timeout: 0,
      synchronous_mode: true,
      postgresql: {
        use_pg_rewind: true,
        parameters: {
          synchronous_commit: "remote_apply",
          max_connections: 200,
          wal_log_hints: "on"
        }
      }
    },
    initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"]
  },
  postgresql: {
    listen: `127.0.0.1:${node.port}`,
    connect_address: `127.0.0.1:${node.port}`,
    data_dir: node.data,
    bin_dir: join("/usr/lib/postgresql", readdirSync("/usr/lib/postgresql").at(-1) ?? "", "bin"),
    authentication: { superuser: login, replication: login },
    parameters: { unix_socket_directories: "" },
    pg_hba: [
      "host all all 127.0.0.1/32 scram-sha-256",
      "host replication all 127.0.0.1/32 scram-sha-256"
    ]
  }
})

/** Sends connections to the node whose Patroni says that it is the primary. */
const proxyOf = (port: number, nodes: ReadonlyArray<Node>) => `
defaults
  mode tcp
  timeout connect 1s
  retries 0
  timeout client 1h
  timeout server 1h
listen petstore
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.rest}`).join("\n")}
`
