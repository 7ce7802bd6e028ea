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

it("has every commit on the standby, which becomes the primary, and the old primary its standby", async () => {
  const servers = await Replicated.start("synchronous", ...LocalPostgres.forTests)
  try {
    const run = (sql: string) => LocalPostgres.administer(servers.primary().port, sql)
    await run("CREATE TABLE numbers (n int)")
    await run("INSERT INTO numbers VALUES (1)")
    const { port } = servers.standby()
    expect(await rowsOf(servers.standby())).toEqual([1])
    servers.kill()
    await servers.promote()
    expect(servers.primary().port).toBe(port)
    await run("INSERT INTO numbers VALUES (2)")
    await servers.rejoin()
    await run("INSERT INTO numbers VALUES (3)")
    expect(await rowsOf(servers.standby())).toEqual([1, 2, 3])
  } finally {
    await servers.remove()
  }
})
