// Plants known bugs, one at a time, in copies of the repository, and runs the tests that must notice. The bugs are in
// `scripts/planted`, separated by empty lines: what is wrong, the file, lines that are replaced (-) and what replaces them
// (+), and the tests, all of one package. Words choose those that have one of them; `--first` chooses the first of each
// area. With `--here` they are planted in this folder, whose tests have just passed: for CI.
import { fork } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join, resolve } from "node:path"
import * as WorkingCopy from "./working-copy.mjs"

const folder = "scripts/planted"
const maxMillis = 600_000

const bugsOf = (area) =>
  readFileSync(join(folder, area), "utf8")
    .trim()
    .split(/\n\n+/)
    .map((text, nth) => {
      const lines = text.split("\n")
      const marked = (mark) =>
        lines
          .filter((line) => line.startsWith(mark))
          .map((line) => line.slice(2))
          .join("\n")
      const [what, file, ...others] = lines
      const tests = others.filter((line) => !/^[-+]/.test(line))
      const homes = new Set(tests.map((test) => test.replace(/\/test\/.*/, "")))
      const [home] = homes
      return { text, nth, what, file, from: marked("-"), to: marked("+"), tests, home, homes }
    })

/** Why a bug cannot be planted, if it cannot. */
const problemOf = ({ file, from, homes }) => {
  const found = readFileSync(file, "utf8").split(from).length - 1
  if (from === "" || found !== 1) return `its lines are ${found} times in ${file}`
  return homes.size === 1 ? undefined : `it names tests of ${homes.size} packages`
}

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"))
const [isFirst, isHere] = ["--first", "--here"].map((flag) => process.argv.includes(flag))
const all = readdirSync(folder).flatMap(bugsOf)
const say = (text) => process.stdout.write(`${text}\n`)
const fail = (text) => {
  process.exitCode = 1
  say(text)
}
for (const bug of all) {
  const problem = problemOf(bug)
  if (problem !== undefined) fail(`cannot be planted: ${bug.what}: ${problem}`)
}
if (process.exitCode === 1) process.exit()

const chosen = all
  .filter(({ nth }) => !isFirst || nth === 0)
  .filter(({ text }) => words.length === 0 || words.some((word) => text.includes(word)))
say(`${all.length} bugs can be planted; ${chosen.length} are tried`)

/** The runner of a package's tests in a copy. It stays, since it takes longer to start than most tests. */
const startRunner = (copy, home) => {
  const runner = fork(resolve("scripts/planted-runner.mjs"), {
    cwd: join(copy, home),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // A group of its own: an endless loop is in a process that it started.
    detached: true
  })
  const hasEnded = () => runner.exitCode !== null || runner.signalCode !== null
  const ended = new Promise((resolve) => runner.once("exit", resolve))
  return {
    home,
    hasEnded,
    /** How many of these tests fail, once files have changed, or why that is not known. */
    failures: async (tests, ...changed) => {
      runner.send({ tests: tests.map((test) => resolve(copy, test)), changed })
      const timer = setTimeout(() => process.kill(-runner.pid, "SIGKILL"), maxMillis)
      const answer = new Promise((resolve) => runner.once("message", resolve))
      const none = ended.then(() => "the tests took too long, or ended their process")
      const failures = await Promise.race([answer, none])
      clearTimeout(timer)
      return failures
    },
    end: async () => {
      if (hasEnded()) return
      runner.disconnect()
      await ended
    }
  }
}

/** Plants a bug, and says whether its tests notice. The one before was in another file, perhaps, which is as it was. */
const attempt = async ({ file, from, tests, to, what }, copy, runner, before) => {
  const path = resolve(copy, file)
  const original = readFileSync(path, "utf8")
  const began = Date.now()
  const planted = original.replace(from, () => to)
  writeFileSync(path, planted)
  let failures = await runner.failures(tests, path, before)
  // Most tests run the sources; those of the program run it as it is built.
  const isBuilt = failures === 0 && tests.some((test) => test.startsWith("apps/"))
  const build = () => WorkingCopy.build(copy, "--filter=@petstore/api")
  if (isBuilt) failures = build() ? await runner.failures(tests) : "it does not compile"
  writeFileSync(path, original)
  if (isBuilt) build()
  const seconds = `${Math.round((Date.now() - began) / 1000)} s`.padStart(5)
  if (typeof failures === "number" && failures > 0) say(`noticed ${seconds}  ${what}`)
  else fail(`NOT NOTICED ${seconds}  ${what}${failures === 0 ? "" : `: ${failures}`}`)
  return path
}

const waiting = new Set(chosen)
/** Copies take the packages from both ends, so that few runners are started. */
const homes = [...new Set(chosen.map(({ home }) => home))]
const copies = isHere
  ? ["."]
  : [...Array(availableParallelism())].map(() => WorkingCopy.make().copy)
const work = async (copy, nth) => {
  let runner
  let before = ""
  const next = (home) => [...waiting].find((bug) => bug.home === home)
  for (;;) {
    const others = nth % 2 === 0 ? homes : homes.toReversed()
    const home = [runner?.home, ...others].find((home) => home !== undefined && next(home))
    if (home === undefined) return runner?.end()
    if (runner?.home !== home || runner.hasEnded()) {
      await runner?.end()
      runner = startRunner(copy, home)
      // A test that fails anyway notices nothing.
      const tests = new Set(chosen.filter((bug) => bug.home === home).flatMap((bug) => bug.tests))
      const failures = isHere ? 0 : await runner.failures([...tests])
      if (failures !== 0) {
        fail(`tests of ${home} fail without a bug: ${failures}`)
        for (const bug of chosen) if (bug.home === home) waiting.delete(bug)
      }
    }
    const bug = next(home)
    if (bug === undefined) continue
    waiting.delete(bug)
    before = await attempt(bug, copy, runner, before)
  }
}
await Promise.all(copies.map(work))
if (process.exitCode !== 1) say(`OK: ${chosen.length} bugs were noticed`)
