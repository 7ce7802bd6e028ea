import { expect, it } from "vitest"
import * as Verdict from "../dist/Verdict.js"

const ann = { id: 1, name: "Ann", categoryId: 1 }
const bob = { id: 2, name: "Bob", categoryId: 1 }
const eve = { id: 3, name: "Eve", categoryId: 1 }
const right = { lost: [], repeated: [], unacknowledged: 0, misread: 0 }

it.each([
  ["has every pet once", [ann, bob], [ann, bob], right],
  ["has a pet whose answer was lost", [ann], [ann, bob], { ...right, unacknowledged: 1 }],
  ["lacks a pet", [ann, bob, eve], [ann, eve], { ...right, lost: [bob] }],
  ["has a pet twice by id", [ann, bob], [ann, bob, ann], { ...right, repeated: [ann] }],
  [
    "has a pet twice by name",
    [ann],
    [ann, { ...bob, name: "Ann" }],
    { ...right, repeated: [{ ...bob, name: "Ann" }], unacknowledged: 1 }
  ],
  [
    "has another pet with the id",
    [ann, bob],
    [ann, { ...bob, categoryId: 2 }],
    { ...right, lost: [bob] }
  ]
])("tells that the catalogue %s", (_, acknowledged, catalogue, expected) => {
  expect(Verdict.of({ acknowledged, seen: new Map(), walks: [] }, catalogue)).toEqual(expected)
})

it.each([
  ["saw every pet up to one", [[1, 2], [1], []], [], 0],
  ["passed a pet", [[1, 3]], [], 1],
  ["saw a pet after a later one", [[1, 3, 2]], [], 1],
  ["saw a pet that is not there", [[]], [{ ...eve, id: 4 }], 1],
  ["saw other fields", [[]], [{ ...eve, name: "Eva" }], 1]
])("tells that a reader %s", (_, walks, pets, misread) => {
  const all = [ann, bob, eve]
  const seen = new Map(pets.map((pet) => [pet.id, pet]))
  expect(Verdict.of({ acknowledged: all, seen, walks }, all)).toEqual({ ...right, misread })
})
