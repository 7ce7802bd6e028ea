/** Commands on PostgreSQL with several hosts in the URL, interrupted. One after the other: what is sent is counted. */
import { describe, expect } from "@effect/vitest"
import { connect } from "@petstore/local-postgres/support/Session"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import { Effect } from "effect"
import { folder, live } from "../support/Folder.ts"
import { at, hosts, interruptedAtSend, silent } from "../support/Hosts.ts"
import { open, run } from "../support/Program.ts"
import { lines } from "../support/Stock.ts"

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["import", "-"],
  ["export", "-"],
  ["backup", "pets.dump"],
  ["keys", "create", "--name", "new"],
  ["keys", "list"],
  ["keys", "rotate", "0123456789"],
  ["keys", "revoke", "0123456789"],
  ["doctor"],
  ["serve", "--port", "0"]
]

describe.sequential("commands with two hosts, one of them silent", () => {
  live.each(commands.map((words) => ({ words })))("end at Ctrl-C: $words", function* ({ words }) {
    const path = yield* folder
    const { asked, database, sent } = yield* silent
    const command = yield* open(path, words, { environment: { DATABASE_URL: database } })
    command.process.stdin.end(lines(1))
    const { code, stderr } = yield* Effect.promise(async () => {
      await asked()
      return command.stop("SIGINT")
    })
    expect([code, stderr]).toEqual([words[0] === "serve" ? 0 : 130, ""])
    expect(sent()).not.toContain("petstore_migrations")
  })
})

describe.sequential("petstore import with two hosts", () => {
  live("ends at Ctrl-C whatever it does, with all pets or none", function* () {
    const path = yield* folder
    const database = yield* hosts
    const environment = { DATABASE_URL: database }
    yield* run(path, ["import", "-"], { environment, stdin: lines(1, "before") })
    const direct = yield* connect(at(database, SharedPostgres.port()))
    const outcomes = new Set<string>()
    let expected = 1
    for (let nth = 1; !outcomes.has("not interrupted"); nth += 3) {
      const options = { environment, stdin: lines(2, `at ${nth}`) }
      const { code, isInterrupted } = yield* interruptedAtSend(path, ["import", "-"], options, nth)
      if (code === 0) expected += 2
      else expect(code).toBe(130)
      const { rows } = yield* Effect.promise(() => direct.query("SELECT id FROM pets"))
      expect(rows).toHaveLength(expected)
      outcomes.add(isInterrupted ? String(code) : "not interrupted")
    }
    expect([...outcomes].sort()).toEqual(["0", "130", "not interrupted"])
  })
})
