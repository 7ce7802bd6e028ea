import { expect, it } from "@effect/vitest"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import type { Seen } from "../src/internal/PrimaryChoice.ts"
import * as UsedPrimary from "../src/internal/UsedPrimary.ts"
import { mayAppear } from "../src/NoPrimary.ts"

const failure = (code: string, message = "no") => Object.assign(new Error(message), { code })

it.each([
  [true, failure("ECONNREFUSED")],
  [true, failure("EAI_AGAIN")],
  [true, failure("ENOTFOUND")],
  [true, failure("EHOSTUNREACH")],
  [true, failure("ENETUNREACH")],
  [true, failure("ETIMEDOUT")],
  [true, failure("57P03", "the database system is starting up")],
  [true, new Error("timeout exceeded when trying to connect")],
  [true, new Error("Connection terminated unexpectedly")],
  [false, failure("28P01", "password authentication failed")],
  [false, failure("3D000", 'database "ECONNREFUSED" does not exist')]
])("says whether a server may answer later: %s for %s", (expected, cause) => {
  expect(mayAppear(PostgresFailure.from(cause))).toBe(expected)
})

const standby: Seen = {
  role: "standby",
  timeline: 1,
  position: 0,
  cluster: "cluster",
  server: "server"
}
const silent = { name: "b", failure: "refused" }

it.each([
  ["is away", true, [{ ...silent, isAway: true }]],
  ["refuses the password", false, [silent]],
  ["is a standby", true, [{ name: "a", seen: standby }, silent]]
] as const)("says whether a host that %s may become the primary: %s", (_, expected, hosts) => {
  const used = UsedPrimary.make(hosts, () => {}, new Map())
  used.settle(hosts)
  expect(mayAppear(PostgresFailure.from(used.problem()))).toBe(expected)
})
