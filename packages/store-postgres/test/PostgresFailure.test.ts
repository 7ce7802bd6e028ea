import { describe, expect, it } from "@effect/vitest"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"

const error = (code: string) => Object.assign(new Error("of the server"), { code })

describe("the reason of a failure", () => {
  it.each([
    ["busy", "55P03", "57014", "40001", "40P01", "53300"],
    ["full", "53100", "22003"],
    ["damaged", "XX001", "XX002"],
    ["read-only", "25006"],
    ["incompatible", "42P01", "42703", "26000", "42P05"],
    ["down", "57P01", "08006", "28P01", "ECONNREFUSED", ""]
  ])("is %s for its codes", (reason, ...codes) => {
    for (const code of codes) {
      expect(PostgresFailure.from(error(code))).toMatchObject({ reason })
      const wrapped = new Error("of the client", { cause: error(code) })
      expect(PostgresFailure.from(wrapped)).toMatchObject({ reason })
    }
  })

  it("says what to set when a connection pooler loses prepared statements", () => {
    expect(PostgresFailure.from(error("26000"))).toMatchObject({
      cause: { message: expect.stringMatching(/PgBouncer.*max_prepared_statements/) }
    })
  })

  it("says that no id is left, not that a number is out of range", () => {
    expect(PostgresFailure.from(error("22003"))).toMatchObject({
      cause: { message: "no id is left" }
    })
  })

  it("has a message, also if all addresses of a name refused a connection", () => {
    const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })
    expect(PostgresFailure.messageOf(PostgresFailure.from(refused))).toBe("ECONNREFUSED")
  })

  it("is kept once it is known", () => {
    const failure = PostgresFailure.make("damaged", "a row")
    expect(PostgresFailure.from(failure)).toBe(failure)
  })
})
