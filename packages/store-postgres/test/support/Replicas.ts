/** A primary and a standby that the tests of a file share. Each test leaves both as it found them. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Replicated from "@petstore/local-postgres/Replicated"
import type * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { Effect, Redacted, Schedule } from "effect"
import { afterAll, beforeAll } from "vitest"
import { openStore, patient } from "./Databases.ts"

/** Starts both before the tests of this file. */
export const share = (commits: Parameters<typeof Replicated.start>[0]) => {
  let servers: Replicated.Replicated
  beforeAll(async () => {
    servers = await Replicated.start(commits, ...LocalPostgres.forTests)
  }, 120_000)
  afterAll(() => servers.remove(), 60_000)
  return () => servers
}

/** The URL of a new database of the first of these ports, or of others. */
export const database = (ports: ReadonlyArray<number>, primary = ports[0] ?? 0) =>
  Effect.promise(async () => {
    const url = new URL(await LocalPostgres.createDatabase(primary))
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join()
    return Redacted.make(url.href.replace(url.host, hosts))
  })

/** The same database at another port, alone. */
export const at = (url: Redacted.Redacted, port: number): string =>
  Redacted.value(url)
    .replace(/@[^/]*/, `@127.0.0.1:${port}`)
    .replace(/\?.*/, "")

/** Tries again for as long as a busy machine may take: operations are refused during a failover. */
export const eventually = <A, E>(operation: Effect.Effect<A, E>) =>
  Effect.retry(operation, Schedule.spaced("20 millis").pipe(Schedule.upTo("30 seconds")))

/** Waits until a condition holds. */
export const until = (isMet: () => boolean) =>
  eventually(Effect.suspend(() => (isMet() ? Effect.void : Effect.fail("not yet"))))

/** A store that waits for as long as a busy machine may take, if the test does not say otherwise. */
export const open = ({ url, ...options }: PostgresStores.Options) =>
  openStore({ ...patient(url), ...options })
