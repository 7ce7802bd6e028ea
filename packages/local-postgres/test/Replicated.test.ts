import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Replicated from "@petstore/local-postgres/Replicated"
import pg from "pg"
import { expect, it } from "vitest"

/** The rows that a server has. */
const rowsOf = async ({ port }: LocalPostgres.LocalPostgres) => {
  const client = new pg.Client(LocalPostgres.urlOf("postgres", port))
  await client.connect()
  const { rows } = await client.query("SELECT n FROM numbers ORDER BY n")
  await client.end()
  return rows.map(({ n }) => n)
}

it("has every commit on the standby, which becomes the primary, and back", async () => {
  const servers = await Replicated.start("synchronous", ...LocalPostgres.forTests)
  try {
    const insert = (n: number) =>
      LocalPostgres.administer(servers.primary().port, `INSERT INTO numbers VALUES (${n})`)
    await LocalPostgres.administer(servers.primary().port, "CREATE TABLE numbers (n int)")
    const ports = [servers.primary().port, servers.standby().port]
    for (const n of [10, 20]) {
      await insert(n)
      expect((await rowsOf(servers.standby())).at(-1)).toBe(n)
      servers.kill()
      await servers.promote()
      await insert(n + 1)
      await servers.rejoin()
      expect((await rowsOf(servers.standby())).at(-1)).toBe(n + 1)
    }
    expect([servers.primary().port, servers.standby().port]).toEqual(ports)
    expect(await rowsOf(servers.primary())).toEqual([10, 11, 20, 21])
  } finally {
    await servers.remove()
  }
})
