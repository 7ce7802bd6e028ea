import { expect, it } from "@effect/vitest"
import * as QualityValues from "../src/internal/exchange/QualityValues.ts"

it("reads names with their qualities", () => {
  const found = QualityValues.parse("gzip, BR;q=0.5,deflate; q=x")
  expect([...found]).toEqual([
    ["gzip", 1],
    ["br", 0.5],
    ["deflate", 0]
  ])
})

it("takes a header that is long for one that is absent", () => {
  const absent = QualityValues.parse("")
  expect(QualityValues.parse(`gzip${",".repeat(996)}`).get("gzip")).toBe(1)
  expect(QualityValues.parse(`gzip${",".repeat(997)}`)).toEqual(absent)
})
