import { PassThrough, Writable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"

type Output = typeof import("../src/workers/Output.ts")
// TypeScript rejects imports from another project's sources, so the path is built at run time.
const Output: Output = await import(new URL("../src/workers/Output.ts", import.meta.url).href)

/** A target that accepts one piece for each call of `take`. */
const slowTarget = () => {
  const pieces: Array<string> = []
  const waiting: Array<(error?: Error) => void> = []
  const target = new Writable({
    highWaterMark: 10,
    autoDestroy: false,
    write: (piece, _, done) => {
      pieces.push(String(piece))
      waiting.push(done)
    }
  })
  const take = () => waiting.shift()?.()
  const fail = () => waiting.shift()?.(new Error("the pipe is closed"))
  return { fail, pieces, take, target }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("the output of workers", () => {
  it("has whole lines only", async () => {
    const { pieces, take, target } = slowTarget()
    const output = Output.make(target)
    const [first, second] = [new PassThrough(), new PassThrough()]
    output.add(first)
    output.add(second)
    for (const [source, text] of [
      [first, "one "],
      [second, "two\nthree "],
      [first, "more\nfo"],
      [second, "\n"],
      [first, "ur"]
    ] as const) {
      source.write(text)
      await turn()
      take()
      await turn()
    }
    expect(pieces).toEqual(["two\n", "one more\n", "three \n"])
    first.end()
    while (pieces.length < 4) await turn()
    expect(pieces.at(-1)).toBe("four\n")
  })

  it("reads no more than it can write", async () => {
    const { pieces, take, target } = slowTarget()
    const output = Output.make(target)
    const source = new PassThrough({ highWaterMark: 10 })
    output.add(source)
    let written = 0
    while (source.write("a line of the log\n")) {
      written++
      await turn()
      expect(written).toBeLessThan(10)
    }
    await turn()
    expect([source.isPaused(), pieces.length]).toEqual([true, 1])
    while (source.isPaused()) {
      take()
      await turn()
    }
    expect(source.write("")).toBe(true)
  })

  it("goes on if its target fails", async () => {
    const { fail, target } = slowTarget()
    const output = Output.make(target)
    const source = new PassThrough()
    output.add(source)
    source.write("a line of the log\n")
    while (!source.isPaused()) await turn()
    fail()
    while (source.isPaused()) await turn()
  })
})
