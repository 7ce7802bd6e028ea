import { PassThrough, Writable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect, LogLevel, Redacted } from "effect"
import * as Terminal from "../src/cli/Terminal.ts"
import * as Log from "../src/observe/Log.ts"
import { forwardLines } from "../src/observe/LogOutput.ts"
import * as Worker from "../src/Worker.ts"

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
const logOn = (stdout: Writable, worker?: number) =>
  Log.Log.pipe(
    Effect.provide(
      Log.layer({ logFormat: "json", apiKeys: [Redacted.make(key)], logLevel: LogLevel.Info })
    ),
    Effect.provideService(Worker.Worker, { ...Worker.alone, number: worker }),
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
    const { forward, write } = logOn(target, 2)
    const line = JSON.stringify({ ...common, secret: "***", worker: 2 })
    const accepted = Math.ceil((4 * mebibyte) / line.length)
    for (let at = 0; at < accepted + 50; at++) {
      write(event)
      await turn()
    }
    expect(target.writableLength).toBeLessThan(5 * mebibyte)
    forward(Buffer.from("one of a worker\nand another\n"))
    const lines = await takeAll()
    const report = JSON.parse(lines.pop() ?? "")
    expect(report).toMatchObject({
      level: "warn",
      message: `${report.dropped} lines dropped: the log was not read`,
      worker: 2
    })
    expect(lines.every((written) => written === line)).toBe(true)
    expect(lines.length + report.dropped).toBe(accepted + 52)
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
    const { forward } = logOn(target)
    for (const event of ["error", "drain", "drain"]) {
      pieces.length = 0
      waiting = 5 * mebibyte
      forward("dropped\n")
      waiting = 0
      forward("dropped, too\n")
      expect(pieces).toEqual([])
      target.emit(event, new Error("the pipe is closed"))
      forward("a line\n")
      expect(pieces).toEqual([expect.stringContaining("2 lines dropped"), "a line\n"])
    }
  })
})

it("the output of workers has whole lines only", async () => {
  const lines: Array<string> = []
  const [first, second] = [new PassThrough(), new PassThrough()]
  for (const source of [first, second]) {
    forwardLines(source, (text) => lines.push(String(text)))
  }
  for (const [source, text] of [
    [first, "one "],
    [second, "two\nthree "],
    [first, "more\nfo"],
    [second, "\n"],
    [first, "ur"]
  ] as const) {
    source.write(text)
    await turn()
  }
  expect(lines).toEqual(["two\n", "one more\n", "three \n"])
  first.end()
  while (lines.length < 4) await turn()
  expect(lines.at(-1)).toBe("four\n")
})
