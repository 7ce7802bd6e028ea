import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, it } from "vitest"

const program = fileURLToPath(new URL("../dist/main.js", import.meta.url))

/** Starts the demo with a temporary folder of its own. */
const start = (...words: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-demo-"))
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o755)
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, TMPDIR: folder }
  })
  let output = ""
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on("data", collect)
  child.stderr.on("data", collect)
  const ended = once(child, "close").then(([code]) => ({ code, output }))
  return {
    ended,
    interrupt: () => child.kill("SIGINT"),
    /** Waits until it has printed this. */
    printed: async (text: string) => {
      while (!output.includes(text)) await Promise.race([once(child.stdout, "data"), ended])
    },
    /** The processes of the servers that still run. */
    running: () =>
      [...output.matchAll(/process (\d+)/g)].filter(([, pid]) => isRunning(Number(pid))),
    /** The files that it has left behind; the folder is removed if there are none. */
    left: () => {
      const files = readdirSync(folder)
      if (files.length === 0) rmdirSync(folder)
      return files
    }
  }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.concurrent("the demo", () => {
  it("kills a replica and starts it again, and no acknowledged pet is lost", async ({ expect }) => {
    const { ended, left, running } = start("--seconds", "3")
    const { code, output } = await ended
    expect(output).toMatch(/was killed.*starts again.*is ready/s)
    expect(output).toMatch(/the others answered [1-9]\d* requests/)
    expect(output).toMatch(/it answered [1-9]\d* requests/)
    expect(output).toMatch(
      /OK: all [1-9]\d* acknowledged pets are in the catalogue, each exactly once/
    )
    expect(output).not.toContain("FAILED")
    expect([code, running(), left()]).toEqual([0, [], []])
  })

  it("stops and removes everything when it is interrupted", async ({ expect }) => {
    const { ended, interrupt, left, printed, running } = start()
    await printed(" 1 s ")
    expect(running()).toHaveLength(3)
    interrupt()
    const { code, output } = await ended
    expect(output).not.toContain("acknowledged pets")
    expect([code, running(), left()]).toEqual([130, [], []])
  })

  it("rejects an invalid command line", async ({ expect }) => {
    const runs = [
      ["--seconds", "x"],
      ["--wrong"],
      ["wrong"],
      ["failover", "--times", "0"],
      ["failover", "--reads", "none"]
    ].map((words) => start(...words))
    const results = await Promise.all(runs.map(({ ended }) => ended))
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2])
    for (const { left } of runs) expect(left()).toEqual([])
  })
})

describe("the demo of a failover", { timeout: 400_000 }, () => {
  it.for([
    ["primary", "2"],
    ["standby", "1"]
  ] as const)(
    "loses no pet and hides none, with reads from the %s",
    async ([reads, times], { expect }) => {
      const words = ["--times", times, "--seconds", "1", "--reads", reads]
      const { ended, left, running } = start("failover", ...words)
      const { code, output } = await ended
      expect(output).toContain(`failover ${times}: the primary was killed`)
      expect(output).toMatch(/OK: all [1-9]\d* acknowledged pets/)
      expect([code, running(), left()]).toEqual([0, [], []])
    }
  )
})
