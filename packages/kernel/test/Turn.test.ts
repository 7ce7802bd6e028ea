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

it("runs tasks one by one while the turn has time, and defers the others", () => {
  const now = vi.spyOn(performance, "now")
  const [run, deferred]: [Array<number>, Array<number>] = [[], []]
  try {
    let millis = 0
    now.mockImplementation(() => millis)
    const spend = (task: number) => {
      run.push(task)
      millis += task
    }
    Turn.inTime([1, 2, 3, 4, 5], spend, (task) => deferred.push(task))
  } finally {
    now.mockRestore()
  }
  expect([run, deferred]).toEqual([
    [1, 2, 3],
    [4, 5]
  ])
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
