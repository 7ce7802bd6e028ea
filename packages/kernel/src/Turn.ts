/**
 * Work that is done together at the end of a turn of the event loop. The same code runs for many requests in
 * a row, which is faster than switching between requests, and what they have in common is done once.
 */
import { setImmediate } from "node:timers"

/**
 * Collects the tasks of a turn and runs them together, after all input of the turn has been read. What is returned for
 * a task takes it back if it has not run yet. `run` may defer tasks to the next turn.
 */
export const make = <A>(
  run: (tasks: Iterable<A>, defer: (task: A) => void) => void
): ((task: A) => () => void) => {
  let tasks = new Set<A>()
  let turn = tasks
  let isPlanned = false
  const end = () => {
    turn = tasks
    tasks = new Set()
    isPlanned = false
    // All of them may have been taken back.
    if (turn.size > 0) run(turn, add)
  }
  const add = (task: A) => {
    tasks.add(task)
    if (!isPlanned) setImmediate(end)
    isPlanned = true
  }
  return (task) => {
    add(task)
    return () => {
      tasks.delete(task)
      turn.delete(task)
    }
  }
}

/** How many milliseconds the tasks of a turn may take together: more than those of 32 callers, so that none waits for another turn. */
const maxMillis = 5

/**
 * Runs functions at the end of the turn, after `begin`. Defers those for which the turn has no time left: other work is not
 * held up.
 */
export const makeRunner = (begin = () => {}) =>
  make<() => void>((tasks, defer) => {
    begin()
    const end = performance.now() + maxMillis
    for (const task of tasks) {
      if (performance.now() < end) task()
      else defer(task)
    }
  })
