import { Writable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect, LogLevel, Redacted } from "effect"
import * as Terminal from "../src/cli/Terminal.ts"
import * as Log from "../src/observe/Log.ts"
import * as LogOutput from "../src/observe/LogOutput.ts"

/** A target that accepts nothing before `takeAll`, which returns all lines. */
const slowTarget = () => {
  const pieces: Array<string> = []
  const waiting: Array<() => void> = []
  const target = new Writable({
    highWaterMark: 10,
    write: (piece, _, done) => {
      pieces.push(String(piece))
      waiting.push(done)
    }
  })
  const takeAll = async () => {
    while (waiting.length > 0) {
      waiting.shift()?.()
      await turn()
    }
    return pieces.join("").trimEnd().split("\n")
  }
  return { target, takeAll }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

const mebibyte = 1024 * 1024
const common = { timestamp: new Date(), level: "info", message: "a ".repeat(5000) }
const key = "a-key-of-the-environment"
const event = { ...common, fields: { secret: key } }

/** A log that is written there. */
const logOn = (stdout: Writable) =>
  Log.Log.pipe(
    Effect.provide(
      Log.layer({ logFormat: "json", apiKeys: [Redacted.make(key)], logLevel: LogLevel.Info })
    ),
    Effect.provideService(Terminal.Terminal, {
      ...Terminal.current,
      stdout,
      once: () => {}
    }),
    Effect.runSync
  )

describe("the log", () => {
  it("drops lines that are not read, and says how many once it is read again", async () => {
    const { takeAll, target } = slowTarget()
    const { write } = logOn(target)
    const line = JSON.stringify({ ...common, secret: "***" })
    const accepted = Math.ceil((4 * mebibyte) / line.length)
    for (let at = 0; at < accepted + 50; at++) {
      write(event)
      await turn()
    }
    expect(target.writableLength).toBeLessThan(5 * mebibyte)
    const lines = await takeAll()
    const report = JSON.parse(lines.pop() ?? "")
    expect(report).toMatchObject({
      level: "warn",
      message: `${report.dropped} lines dropped: the log was not read`
    })
    expect(lines.every((written) => written === line)).toBe(true)
    expect(lines.length + report.dropped).toBe(accepted + 50)
    expect(lines.length).toBeGreaterThanOrEqual(accepted)
    write(event)
    await turn()
    expect((await takeAll()).slice(-2)).toEqual([JSON.stringify(report), line])
  })

  it("is written again each time that its target failed or was read after lines were dropped", () => {
    const pieces: Array<unknown> = []
    let waiting = 0
    // As standard output, which is not destroyed by an error.
    const target = new Writable({ write: () => {} })
    Object.defineProperty(target, "writableLength", { get: () => waiting })
    target.write = (piece: unknown) => pieces.push(piece) > 0
    const write = LogOutput.make(target, (dropped) => `${dropped} dropped`)
    for (const event of ["error", "drain", "drain"]) {
      pieces.length = 0
      waiting = 5 * mebibyte
      write("dropped\n")
      waiting = 0
      write("dropped, too\n")
      expect(pieces).toEqual([])
      target.emit(event, new Error("the pipe is closed"))
      write("a line\n")
      expect(pieces).toEqual(["2 dropped", "a line\n"])
    }
  })
})
