/** The primary of the database is lost in other ways than the demo shows. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Replicated from "@petstore/local-postgres/Replicated"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Failover from "../dist/Failover.js"
import * as Patroni from "./support/Patroni.ts"

/** Ten for the figures of docs/scaling.md. */
const times = Number(process.env["FAILOVERS"] ?? 1)
const timeout = 180_000 * times

it.each([
  ["synchronous", "no pet is lost", /^$/],
  ["asynchronous", "pets are lost, as the verdict sees", /acknowledged pets [1-9]\d* are lost/]
] as const)("with %s commits to a standby that was cut off, %s", async (commits, _, verdict) => {
  const servers = await Replicated.start(commits, ...LocalPostgres.forTests)
  try {
    const kill: Failover.Servers["kill"] = async ({ acknowledged, failed }) => {
      await servers.cut()
      const answered = () => acknowledged.length + failed.adds
      const enough = answered() + 100
      await expect.poll(answered, { timeout: 60_000 }).toBeGreaterThan(enough)
      servers.kill()
    }
    const late = { ...Failover.of(servers, "primary"), kill }
    const wrong = await Effect.runPromise(Failover.runOn(late, { times: 1, seconds: 1 }))
    expect(wrong.join()).toMatch(verdict)
  } finally {
    await servers.remove()
  }
})

const needed = Patroni.isInstalled
  ? ""
  : " (skipped: patroni, etcd-server or haproxy is not installed)"

it.runIf(Patroni.isInstalled).each(["server", "machine"] as const)(
  `loses nothing if Patroni promotes the standby of a lost %s${needed}`,
  { timeout },
  async (lost) => {
    const servers = await Patroni.start(lost)
    try {
      expect(await Effect.runPromise(Failover.runOn(servers, { times, seconds: 2 }))).toEqual([])
    } finally {
      await servers.remove()
    }
  }
)
