import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, vi } from "@effect/vitest"
import * as Turn from "@petstore/kernel/Turn"

it("runs the tasks of a turn together, in order, and later ones in a later turn", async () => {
  const runs: Array<ReadonlyArray<string>> = []
  const add = Turn.make<string>((tasks) => {
    runs.push([...tasks])
    if (runs.at(-1)?.includes("b")) add("added by b")
  })
  add("a")
  add("b")
  await Promise.resolve()
  expect(runs).toEqual([])
  add("c")
  await vi.waitUntil(() => runs.length === 2)
  add("d")
  await vi.waitUntil(() => runs.length === 3)
  expect(runs).toEqual([["a", "b", "c"], ["added by b"], ["d"]])
})

it("does not run what was taken back, nor a turn without tasks", async () => {
  const runs: Array<ReadonlyArray<string>> = []
  const add = Turn.make<string>((tasks) => runs.push([...tasks]))
  add("alone")()
  await sleep(5)
  add("a")()
  add("b")
  const takeBack = add("c")
  takeBack()
  add("d")
  await sleep(5)
  takeBack()
  expect(runs).toEqual([["b", "d"]])
})

it("runs deferred tasks in the order in which they were added, and takes them back", async () => {
  const runs: Array<string> = []
  const add = Turn.make<string>((tasks, defer) => {
    runs.push([...tasks].join(""))
    if (runs.length > 1) return
    add("x")
    for (const task of ["b", "c"]) defer(task)
    add("y")
  })
  const takeBacks = ["a", "b", "c"].map((task) => add(task))
  await new Promise(setImmediate)
  takeBacks[2]?.()
  while (runs.length < 2) await sleep(1)
  expect(runs).toEqual(["abc", "xby"])
})

it("runs functions one by one while the turn has time, and the others in the next", async () => {
  const now = vi.spyOn(performance, "now")
  const run: Array<number | string> = []
  try {
    let millis = 0
    now.mockImplementation(() => millis)
    // What comes first has its own time.
    const add = Turn.makeRunner(() => {
      run.push("turn")
      millis += 9
    })
    for (const task of [1, 2, 3, 4, 5]) {
      add(() => {
        run.push(task)
        millis += task
      })
    }
    while (run.length < 7) await new Promise(setImmediate)
  } finally {
    now.mockRestore()
  }
  expect(run).toEqual(["turn", 1, 2, 3, "turn", 4, 5])
})

it("does not run a task that one before it has taken back", async () => {
  const runs: Array<string> = []
  const add = Turn.make<string>((tasks) => {
    for (const task of tasks) {
      runs.push(task)
      if (task === "a") takeBack()
    }
  })
  add("a")
  const takeBack = add("b")
  add("c")
  await new Promise(setImmediate)
  expect(runs).toEqual(["a", "c"])
})
