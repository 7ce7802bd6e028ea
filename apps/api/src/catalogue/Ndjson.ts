/** Pets as NDJSON: one JSON object per line, as in the HTTP interface. */
import { Pet } from "@petstore/domain/Pet"
import * as Json from "@petstore/http-contract/Json"
import * as JsonEncoder from "@petstore/http-contract/JsonEncoder"
import * as Either from "effect/Either"
import type { Format } from "./Format.ts"
import * as ImportedPets from "./ImportedPets.ts"

const encode = JsonEncoder.make(Pet)

/** NDJSON. Empty lines are skipped. */
export const format: Format = {
  header: "",
  write: (pet) => `${encode(pet)}\n`,
  read: () => ({
    push: (line) => {
      const place = line.number
      if ("reason" in line) return { place, reason: line.reason }
      if (line.text.trim() === "") return undefined
      const json = Json.parse(line.text)
      return Either.isLeft(json)
        ? { place, reason: `is not JSON: ${json.left.message}` }
        : ImportedPets.fromFields(place, json.right)
    },
    end: () => undefined
  })
}
