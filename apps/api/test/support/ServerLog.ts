/** What a server logs. */
import { expect } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { Schema } from "effect"
import type { Running } from "./Running.ts"

const Line = Schema.Struct({
  level: Schema.String,
  message: Schema.String,
  requestId: Schema.optional(Schema.String)
})
const decode = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Line)))

/** The lines of a log that have a message like this. */
export const linesOf = (stdout: string, message: RegExp) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .filter((line) => message.test(line.message))

/** Expects no password, no stack, and errors only about the database. */
export const expectCalm = ({ stderr, stdout }: Running): void => {
  expect(stderr).toBe("")
  for (const secret of [LocalPostgres.password, encodeURIComponent(LocalPostgres.password)]) {
    expect(stdout).not.toContain(secret)
  }
  const lines = decode(`[${stdout.trim().replaceAll("\n", ",")}]`)
  const errors = lines.filter(({ level }) => level !== "info" && level !== "warn")
  for (const { message } of errors) expect(message).toMatch(/^DATABASE_URL .* cannot be used/)
}
