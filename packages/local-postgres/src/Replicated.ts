/** A primary and a standby that has each commit before it is acknowledged, as failovers need them. */
import { execFile } from "node:child_process"
import { chown, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import * as LocalPostgres from "./LocalPostgres.ts"

/** Two servers, which exchange their roles. */
export interface Replicated {
  readonly primary: () => LocalPostgres.LocalPostgres
  readonly standby: () => LocalPostgres.LocalPostgres
  /** The URL of a database with both hosts. */
  readonly urlOf: (database: string) => string
  /** Makes the standby the primary. It waits for no standby until one has joined. */
  readonly promote: () => Promise<void>
  /** Starts the old primary as the primary that it was, as if nothing fenced it. It waits for no standby. */
  readonly revive: () => Promise<void>
  /** Starts the old primary as the standby, with a new copy of the data. Commits wait for it from now on. */
  readonly rejoin: () => Promise<void>
  /** Ends replication: a primary that waits for its standby commits nothing more. */
  readonly cut: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** What commits wait for: that the standby has applied them, or nothing. */
export type Commits = "synchronous" | "asynchronous"

/** Starts both. */
export const start = async (
  commits: Commits,
  ...settings: ReadonlyArray<string>
): Promise<Replicated> => {
  let primary = await LocalPostgres.start(...settings)
  let standby = await LocalPostgres.startWith(settings, (server) => copy(primary, server))
  /** Waits for the standby, and lets commits wait for it. */
  const synchronize = async () => {
    const { port } = primary
    await until(port, "SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'")
    if (commits === "asynchronous") return
    await set(port, "synchronous_commit", "remote_apply")
    await set(port, "synchronous_standby_names", nameOf(standby))
    await until(port, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
  }
  await synchronize()
  return {
    primary: () => primary,
    standby: () => standby,
    urlOf: (database) =>
      `${LocalPostgres.urlOf("", primary.port).slice(0, -1)},127.0.0.1:${standby.port}/${database}`,
    promote: async () => {
      // A statement that waits may be cancelled by what is replayed meanwhile.
      await LocalPostgres.administer(standby.port, "SELECT pg_promote(wait => false)")
      while (await LocalPostgres.administer(standby.port, "SELECT pg_is_in_recovery()"))
        await sleep(10)
      ;[primary, standby] = [standby, primary]
    },
    revive: async () => {
      await standby.start()
      await set(standby.port, "synchronous_standby_names", "")
    },
    rejoin: async () => {
      await standby.stop()
      await copy(primary, standby)
      await standby.start()
      await synchronize()
    },
    cut: async () => {
      await set(standby.port, "primary_conninfo", "")
      await until(primary.port, "SELECT count(*) = 0 FROM pg_stat_replication")
    },
    remove: async () => {
      await Promise.all([primary.remove(), standby.remove()])
    }
  }
}

type Folder = Pick<LocalPostgres.LocalPostgres, "data" | "port">

/** The name by which a primary knows a standby. */
const nameOf = ({ port }: Folder) => `standby_${port}`

const set = async (port: number, name: string, value: string) => {
  await LocalPostgres.administer(port, `ALTER SYSTEM SET ${name} = '${value}'`)
  await LocalPostgres.administer(port, "SELECT pg_reload_conf()")
}

/** Waits until a statement returns true. */
const until = (port: number, sql: string) =>
  LocalPostgres.administer(
    port,
    `DO $$ BEGIN WHILE NOT (${sql}) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$`
  )

/** With its owner, but without the log, which a standby requests. Files of a running server come and go, which `cp` reports. */
const copyFolder = `rm -rf "$1" && { cp -a "$0" "$1" || true; } && rm -rf "$1"/pg_wal/* "$1"/postmaster.*`

/** Copies the data of a running primary, as `pg_basebackup` does, to that of a standby. */
const copy = async (primary: Folder, standby: Folder) => {
  const client = new pg.Client(LocalPostgres.urlOf("postgres", primary.port))
  await client.connect()
  try {
    await client.query("SELECT pg_backup_start('standby', true)")
    await promisify(execFile)("sh", ["-c", copyFolder, primary.data, standby.data])
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)")
    await write(standby.data, "backup_label", rows[0].labelfile)
  } finally {
    await client.end()
  }
  const source = `host=127.0.0.1 port=${primary.port} user=${LocalPostgres.user} password=''${LocalPostgres.password}'' application_name=${nameOf(standby)}`
  await write(standby.data, "postgresql.auto.conf", `primary_conninfo = '${source}'\n`)
  await write(standby.data, "standby.signal", "")
}

/** Writes a file for the owner of its folder, as whom PostgreSQL runs. */
const write = async (folder: string, name: string, text: string) => {
  const { gid, uid } = await stat(folder)
  await writeFile(join(folder, name), text)
  await chown(join(folder, name), uid, gid)
}
