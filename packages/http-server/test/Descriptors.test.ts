import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"
import { expect, it } from "vitest"
import * as Descriptors from "../src/internal/connection/Descriptors.ts"

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
