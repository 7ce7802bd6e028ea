import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "@effect/vitest"
import * as Turn from "@petstore/direct/Turn"

it("runs the tasks of a turn together, in order, and later ones in a later turn", async () => {
  const runs: Array<ReadonlyArray<string>> = []
  const add = Turn.make<string>((tasks) => {
    runs.push(tasks)
    if (tasks.includes("b")) add("added by b")
  })
  add("a")
  add("b")
  await Promise.resolve()
  expect(runs).toEqual([])
  add("c")
  await sleep(5)
  add("d")
  await sleep(5)
  expect(runs).toEqual([["a", "b", "c"], ["added by b"], ["d"]])
})
