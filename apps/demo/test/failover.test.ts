/** The primary of the database is lost in other ways than the demo shows. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Replicated from "@petstore/local-postgres/Replicated"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Failover from "../dist/Failover.js"
import * as Patroni from "./support/Patroni.ts"

/** Ten for the figures of docs/scaling.md. */
const times = Number(process.env["PETSTORE_TEST_FAILOVERS"] ?? 1)
const timeout = 180_000 * times

it("sees that pets are lost if commits do not wait for a standby, which was late", async () => {
  const servers = await Replicated.start("asynchronous", ...LocalPostgres.forTests)
  try {
    const { kill, ...rest } = Failover.of(servers, "primary")
    const late = { ...rest, kill: () => servers.cut().then(kill) }
    const wrong = await Effect.runPromise(Failover.runOn(late, { times: 1, seconds: 1 }))
    expect(wrong.join()).toMatch(/acknowledged pets [1-9]\d* are lost/)
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
