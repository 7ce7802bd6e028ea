// Measures how long the event loop is held. On SIGUSR2 it prints the longest time since the last one, in milliseconds.
import { readFileSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

const intervalMillis = 5

/** How long this thread was ready to run while other processes had all cores, in milliseconds: not the program's fault. */
const waited = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[1]) / 1e6

if (isMainThread) {
  let last = { time: performance.now(), waited: waited() }
  let longest = 0
  setInterval(() => {
    const now = { time: performance.now(), waited: waited() }
    longest = Math.max(longest, now.time - last.time - intervalMillis - (now.waited - last.waited))
    last = now
  }, intervalMillis).unref()
  process.on("SIGUSR2", () => {
    process.stdout.write(`held ${longest}\n`)
    longest = 0
  })
}
