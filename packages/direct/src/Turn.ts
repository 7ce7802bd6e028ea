/**
 * Work that is done together at the end of a turn of the event loop. The same code runs for many requests in
 * a row, which is faster than switching between requests, and what they have in common is done once.
 */
import { setImmediate } from "node:timers"

/** Collects the tasks of a turn and runs them together, after all input of the turn has been read. */
export const make = <A>(run: (tasks: ReadonlyArray<A>) => void): ((task: A) => void) => {
  let waiting: Array<A> = []
  const end = () => {
    const tasks = waiting
    waiting = []
    run(tasks)
  }
  return (task) => {
    waiting.push(task)
    if (waiting.length === 1) setImmediate(end)
  }
}
