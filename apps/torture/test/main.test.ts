import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"
import { fileURLToPath } from "node:url"
import { experiments } from "../src/experiments/index.ts"
import { tooLittle } from "../src/Runner.ts"

const program = fileURLToPath(new URL("../src/main.js", import.meta.url))

/** Runs the command with a temporary folder of its own, and interrupts it once it has printed this. */
const run = async (words: ReadonlyArray<string>, interruptAt?: RegExp) => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-torture-test-"))
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o755)
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, TMPDIR: folder }
  })
  let output = ""
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
    if (interruptAt?.test(output)) child.kill("SIGINT")
  }
  child.stdout.on("data", collect)
  child.stderr.on("data", collect)
  const [code] = await once(child, "close")
  const left = readdirSync(folder)
  rmSync(folder, { recursive: true })
  const pids = [...output.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid))
  return { code, output, left, pids }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it("stops and removes everything when it is interrupted", async () => {
  const { code, left, output, pids } = await run(["--only", "replicas", "--watch"], /^ +\d+ s /m)
  assert.equal(code, 130, output)
  assert.equal(pids.length, 3)
  assert.deepEqual([pids.filter(isRunning), left], [[], []])
})

it("fails every experiment that has seen less than its least", async () => {
  for (const experiment of experiments) {
    const { least, name } = experiment
    const less = Object.fromEntries(Object.entries(least).map(([name, many]) => [name, many - 1]))
    const missed = (figures: Readonly<Record<string, number>>) =>
      tooLittle(experiment, figures).length
    assert.ok(missed({}) > 0, name)
    assert.deepEqual([missed(least), missed(less)], [0, missed({})], name)
  }
})

it("rejects invalid options", async () => {
  for (const words of [["--wrong"], ["--only", "none"], ["--minutes", "x"], ["--jobs", "0"]]) {
    const { code, output } = await run(words)
    assert.equal(code, 2, output)
  }
})
