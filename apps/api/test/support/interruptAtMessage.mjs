/**
 * Preloaded into a command: interrupts it, like Ctrl-C, when the
 * message with this number arrives from one of its threads.
 */
import { writeSync } from "node:fs"
import { Worker } from "node:worker_threads"

const wanted = Number(process.env.INTERRUPT_AT_MESSAGE)
const { emit } = Worker.prototype
let count = 0

Worker.prototype.emit = function (event, ...values) {
  if (event === "message" && ++count === wanted) {
    writeSync(2, "interrupted\n")
    process.emit("SIGINT")
  }
  return emit.call(this, event, ...values)
}
