import { closeSync, openSync } from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { devNull } from "node:os"
import { Effect } from "effect"
import { expect, it, vi } from "vitest"
import * as Descriptors from "../src/internal/connection/Descriptors.ts"
import * as Logs from "./support/Logs.ts"

/** The file descriptor that is opened next. */
const next = () => {
  const descriptor = openSync(devNull, "r")
  closeSync(descriptor)
  return descriptor
}

it("looking for a free file descriptor keeps none", () => {
  const before = next()
  const look = Descriptors.make(() => {})
  for (let at = 0; at < 3; at++) look()
  expect(next()).toBe(before)
})

it("says once that there is none, and once that there are some again", () => {
  const logs = Logs.make()
  const look = Descriptors.make((line) => Effect.runSync(Effect.provide(line, logs.layer)))
  const opening = vi.spyOn(createRequire(import.meta.url)("node:fs"), "openSync")
  try {
    const told = [true, false, false, true, true, false].map((isFree) => {
      if (!isFree)
        opening.mockImplementationOnce(() => {
          throw new Error("too many open files")
        })
      syncBuiltinESMExports()
      look()
      return logs.lines.splice(0).map(({ level }) => level)
    })
    expect(told).toEqual([[], ["WARN"], [], ["INFO"], [], ["WARN"]])
  } finally {
    opening.mockRestore()
    syncBuiltinESMExports()
  }
})
