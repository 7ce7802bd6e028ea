import { expect, it } from "vitest"
import * as Verdict from "../dist/Verdict.js"

const ann = { id: 1, name: "Ann" }
const bob = { id: 2, name: "Bob" }
const eve = { id: 3, name: "Eve" }
const right = { lost: [], repeated: [], unacknowledged: 0 }

it.each([
  ["has every pet once", [ann, bob], [ann, bob], right],
  ["has a pet whose answer was lost", [ann], [ann, bob], { ...right, unacknowledged: 1 }],
  ["lacks a pet", [ann, bob, eve], [ann, eve], { ...right, lost: [bob] }],
  ["has a pet twice by id", [ann, bob], [ann, bob, ann], { ...right, repeated: [ann] }],
  [
    "has a pet twice by name",
    [ann],
    [ann, { id: 2, name: "Ann" }],
    { ...right, repeated: [{ id: 2, name: "Ann" }], unacknowledged: 1 }
  ],
  [
    "has another pet with the id",
    [ann, bob],
    [ann, { id: 2, name: "Eve" }],
    { ...right, lost: [bob] }
  ]
])("tells that the catalogue %s", (_, acknowledged, catalogue, expected) => {
  expect(Verdict.of(acknowledged, catalogue)).toEqual(expected)
})
