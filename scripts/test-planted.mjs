// Plants known bugs, one at a time, in a copy of the repository, and runs the tests that must notice. The bugs are in
// `scripts/planted`, separated by empty lines: what is wrong, the file, lines that are replaced (-) and what replaces them
// (+), and the tests. Words choose those that have one of them; `--first` chooses the first of each area. With `--here` they
// are planted in this folder, whose tests have just passed: for CI.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import * as WorkingCopy from "./working-copy.mjs"

const folder = "scripts/planted"
const secondsPerTest = 60

const bugsOf = (area) =>
  readFileSync(join(folder, area), "utf8")
    .trim()
    .split(/\n\n+/)
    .map((text) => {
      const lines = text.split("\n")
      const marked = (mark) =>
        lines
          .filter((line) => line.startsWith(mark))
          .map((line) => line.slice(2))
          .join("\n")
      const [what, file, ...others] = lines
      const tests = others.filter((line) => !/^[-+]/.test(line))
      return { text, what, file, from: marked("-"), to: marked("+"), tests }
    })

/** Why a bug cannot be planted, if it cannot. */
const problemOf = ({ file, from, tests }) => {
  const found = readFileSync(file, "utf8").split(from).length - 1
  if (from === "" || found !== 1) return `its lines are ${found} times in ${file}`
  return tests.length === 0 ? "it names no test" : undefined
}

/** How many of these tests fail, or why that is not known. */
const failuresOf = (copy, tests) => {
  let failures = 0
  for (const path of tests) {
    const [home, name] = path.split("/test/")
    const vitest = join("node_modules", "vitest", "vitest.mjs")
    const words = [vitest, "run", `test/${name}`, "--reporter=json", "--bail=1"]
    const limit = [
      `--testTimeout=${secondsPerTest * 1000}`,
      `--hookTimeout=${secondsPerTest * 1000}`
    ]
    const options = { cwd: join(copy, home), maxBuffer: 2 ** 28, timeout: 600_000 }
    const { stdout, stderr } = spawnSync(process.execPath, [...words, ...limit], options)
    const json = stdout
      .toString()
      .split("\n")
      .find((line) => line.startsWith("{"))
    const report = json === undefined ? { numTotalTests: 0 } : JSON.parse(json)
    if (report.numTotalTests === 0) return `${path} has no tests that run: ${stdout}${stderr}`
    failures += report.numFailedTests
  }
  return failures
}

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"))
const [isFirst, isHere] = ["--first", "--here"].map((flag) => process.argv.includes(flag))
const all = readdirSync(folder).flatMap((area) => bugsOf(area).map((bug, nth) => ({ ...bug, nth })))
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

const chosen = all.filter(
  ({ nth, text }) =>
    (!isFirst || nth === 0) && (words.length === 0 || words.some((word) => text.includes(word)))
)
say(`${all.length} bugs can be planted; ${chosen.length} are tried`)
const { copy } = isHere ? { copy: "." } : WorkingCopy.make()
// A test that fails anyway notices nothing.
for (const test of new Set(isHere ? [] : chosen.flatMap(({ tests }) => tests))) {
  // Lets Ctrl-C end it.
  await setImmediate()
  const failures = failuresOf(copy, [test])
  if (failures !== 0) fail(`fails without a bug: ${test} (${failures})`)
}
if (process.exitCode === 1) process.exit()

for (const { file, from, tests, to, what } of chosen) {
  await setImmediate()
  const path = join(copy, file)
  const original = readFileSync(path, "utf8")
  const began = Date.now()
  writeFileSync(
    path,
    original.replace(from, () => to)
  )
  let failures = failuresOf(copy, tests)
  // Most tests run the sources; those of the program run it as it is built.
  const isBuilt = failures === 0 && tests.some((test) => test.startsWith("apps/"))
  const build = () => WorkingCopy.build(copy, "--filter=@petstore/api")
  if (isBuilt) failures = build() ? failuresOf(copy, tests) : "it does not compile"
  writeFileSync(path, original)
  if (isBuilt) build()
  const seconds = `${Math.round((Date.now() - began) / 1000)} s`.padStart(5)
  if (typeof failures === "number" && failures > 0) say(`noticed ${seconds}  ${what}`)
  else fail(`NOT NOTICED ${seconds}  ${what}${failures === 0 ? "" : `: ${failures}`}`)
}
if (process.exitCode !== 1) say(`OK: ${chosen.length} bugs were noticed`)
