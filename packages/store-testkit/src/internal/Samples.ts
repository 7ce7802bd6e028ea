/** Sample pets. */

import {
  type Field,
  fields,
  type ImportedPet,
  maxNameLength,
  NewPet,
  PetId,
  PetName
} from "@petstore/domain/Pet"
import type { PetStatus } from "@petstore/domain/PetStatus"
import * as Int64 from "@petstore/kernel/Int64"
import * as Arbitrary from "effect/Arbitrary"
import * as fc from "effect/FastCheck"
import * as Schema from "effect/Schema"

/** Whether a text can be a name: a rule may exclude some of those below. */
export const isName = Schema.is(PetName)

const decode = Schema.decodeUnknownSync(Schema.typeSchema(NewPet))

/** A pet of these fields. Frozen, since a store must not change it. */
const frozen = (pet: object): NewPet => Object.freeze(decode(pet))

/** Any pet, generated from the schema, so that the laws use every field. */
export const anyPet: fc.Arbitrary<NewPet> = Arbitrary.make(Schema.typeSchema(NewPet))

/** The same ones every time. */
const samples = fc.sample(anyPet, { numRuns: 97, seed: 1 })

/** A pet to add; a status that is `undefined` is left out. Fields that are not given are those of a sample. */
export const newPet = (name: string, categoryId = 1n, status?: PetStatus, nth = 0): NewPet => {
  const { status: _, ...others } = samples[nth % samples.length] ?? {}
  return frozen({ ...others, name, categoryId, ...(status === undefined ? {} : { status }) })
}

const petOf = (chosen: ReadonlyArray<Field>) =>
  frozen(
    Object.fromEntries(
      chosen.map(({ name }) => [name, samples.find((pet) => pet[name] !== undefined)?.[name]])
    )
  )

/** A pet with all fields. */
export const fullPet = petOf(fields)

/** A pet with the required fields only. */
export const barePet = petOf(fields.filter(({ isOptional }) => !isOptional))

/** The pet with each of its fields changed in turn, and with each optional one left out, by what differs. */
export const variationsOf = (pet: NewPet): ReadonlyArray<readonly [what: string, pet: NewPet]> =>
  fields.flatMap(({ isOptional, name }) => {
    const { [name]: value, ...others } = pet
    const other = samples.find((one) => one[name] !== undefined && one[name] !== value)?.[name]
    const changed: readonly [string, NewPet] = [
      `another ${name}`,
      frozen({ ...others, [name]: other })
    ]
    return isOptional && value !== undefined ? [changed, [`no ${name}`, frozen(others)]] : [changed]
  })

/** The same pet as it is imported, perhaps with an id. */
export const imported = (pet: NewPet, id?: bigint): ImportedPet =>
  Object.freeze({ ...(id === undefined ? {} : { id: PetId.make(id) }), ...pet })

/** An id far above those that a store assigns, with room for others above it. */
export const farId = 2n ** 62n

/** This many pets with different names: half of them available, the others of every kind. */
export const variousPets = (count: number): ReadonlyArray<NewPet> =>
  Array.from({ length: count }, (_, i) =>
    newPet(
      `pet ${i}`,
      BigInt(i % 7),
      i % 2 === 0 ? "available" : others[((i - 1) / 2) % others.length],
      i
    )
  )

const others = ["pending", undefined, "sold"] as const

/** Names that stores may change by mistake. */
export const oddNames: ReadonlyArray<string> = [
  " ",
  " both ends ",
  "\t\r\n",
  "two\nlines",
  "trailing newline\n",
  "\u0001\u001f\u007f\u0085",
  "\u00a0no-break\u00a0",
  "\u200b\u200d\u2060",
  "\u2028\u2029",
  "\u00e9", // one code point
  "e\u0301", // the same to the eye, two code points
  "\u1e9b\u0323",
  "\ufb01 \u00bd \u212b \u212a",
  "İstanbul ıI ßẞ",
  "🐈",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "\u{10ffff}",
  "\ufeffbyte order mark",
  "\uffff\ufffe\ufffd",
  "\ue000",
  "\u202eאבג\u202c שלום مرحبا",
  "日本語",
  "'single' \"double\" `back` \\ slash",
  "'); DROP TABLE pets; --",
  "%_*?[a-z]",
  "$1 $name {{name}} :name ?1",
  "\\N \\x00 \\u0041 &amp; %00 +",
  "null",
  "undefined",
  "0",
  "1e3",
  "-0",
  "true",
  "[]",
  "x".repeat(maxNameLength),
  "🐾é".repeat(maxNameLength / 2)
].filter(isName)

/** Integers that stores may round or wrap. */
export const edgeIntegers: ReadonlyArray<bigint> = [
  Int64.min,
  Int64.min + 1n,
  -9007199254740993n,
  -4294967297n,
  -2147483649n,
  -1n,
  0n,
  1n,
  2147483648n,
  4294967296n,
  9007199254740991n,
  9007199254740993n,
  Int64.max - 1n,
  Int64.max
]
