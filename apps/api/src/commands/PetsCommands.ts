/** `petstore pets`: reads and adds pets through a running service. */

import type { Filter } from "@petstore/domain/ListPets"
import { type Field, fields, NewPet, Pet } from "@petstore/domain/Pet"
import { defaultLimit, maxLimit } from "@petstore/domain/PetPage"
import { PetStatus } from "@petstore/domain/PetStatus"
import type * as Client from "@petstore/http-client"
import * as JsonEncoder from "@petstore/http-transport/JsonEncoder"
import * as Int64 from "@petstore/kernel/Int64"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Command from "../cli/Command.ts"
import * as Flag from "../cli/Flag.ts"
import { fromSchema, oneOf, type Parse, wholeNumber } from "../cli/Parse.ts"
import { table } from "../cli/Table.ts"
import * as Terminal from "../cli/Terminal.ts"
import { json } from "./CommonFlags.ts"
import * as PetsClient from "./PetsClient.ts"

/** A pet of a service that may be newer, and have another status. */
const AnyPet = Schema.Struct({
  ...Pet.fields,
  status: Schema.optionalWith(Schema.String, { exact: true })
})
const encode = JsonEncoder.make(AnyPet)
const decode = Schema.decodeSync(AnyPet)
const encodePet = (pet: Client.Pet): string => encode(decode(pet))

const int64: Parse<bigint> = (text) =>
  Either.fromNullable(Int64.fromText(text), () => "must be a 64-bit integer")

/** What people call a field: `category` for `categoryId`, `born on` for `bornOn`. */
const wordsOf = (name: string): string =>
  name.replace(/Id$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const parseSome = fromSchema(Schema.partialWith(NewPet, { exact: true }))

/** The option of a field. */
const flagOf = ({ isInteger, isOptional, name }: Field): Flag.Flag<unknown> => {
  const option = wordsOf(name).replaceAll(" ", "-")
  const parse: Parse<unknown> = (text) =>
    Either.map(parseSome({ [name]: text }), (pet) => pet[name])
  return (isOptional ? Flag.optional : Flag.required)(
    `--${option} ${isInteger ? "NUMBER" : option.toUpperCase()}`,
    `the ${wordsOf(name)} of the pet`,
    isInteger ? int64 : parse
  )
}

/** The pet of these options; those that were not given are undefined. */
const petOf = (given: Readonly<Record<string, unknown>>): NewPet =>
  Schema.decodeUnknownSync(Schema.typeSchema(NewPet))(
    Record.filter(given, Predicate.isNotUndefined)
  )

const limit = Flag.optional(
  "--limit NUMBER",
  `maximum number of pets to list, 1 to ${maxLimit}; default: ${defaultLimit}`,
  wholeNumber(1, maxLimit)
)
const status = Flag.optional(
  `--status ${PetStatus.literals.join("|")}`,
  "the status of the pet",
  oneOf(PetStatus.literals)
)
/** The option of each filter of a list. */
const filters = { status } satisfies { readonly [Name in Filter]: Flag.Flag<unknown> }
const all = Flag.toggle("--all", "list all pets, not one page")
const url = Flag.variable("--url URL", "the service to call", "PETSTORE_URL")
const id = Flag.required("ID", "the id of the pet", int64)

const add = Command.make(
  {
    name: "add",
    about: "add a pet",
    examples: ["petstore pets add --name Rex --category 1 --status available"],
    flags: {
      ...Object.fromEntries(fields.map((field) => [field.name, flagOf(field)])),
      status,
      url,
      json
    }
  },
  ({ json, url: _, ...given }) =>
    printOne(json, (pets) => PetsClient.ask((options) => pets.add(petOf(given), options)))
)

const list = Command.make(
  {
    name: "list",
    about: "list pets by ascending id",
    examples: ["petstore pets list --status sold --all", "petstore pets list --limit 5 --json"],
    flags: { ...filters, limit, all, url, json }
  },
  ({ all, json, limit = all ? maxLimit : defaultLimit, url: _, ...parameters }) =>
    PetsClient.call((pets) =>
      Effect.gen(function* () {
        const printRows = table(titles)
        let start = "["
        const printPage = ({ pets }: Client.Page) => {
          if (!json) return printRows(pets.map(cells))
          // One pet per line.
          const text = start + pets.map(encodePet).join(",\n ")
          start = ",\n "
          return Terminal.write(text)
        }
        const pages = pets
          .list({ limit, ...parameters })
          .pages()
          [Symbol.asyncIterator]()
        let after: string | undefined
        do {
          const { value: page }: { value: Client.Page } = yield* PetsClient.ask(() => pages.next())
          yield* printPage(page)
          after = page.next
        } while (all && after !== undefined)
        if (!json && after !== undefined && (yield* Terminal.isInteractive)) {
          yield* Terminal.printError("there are more: --all lists all pets")
        }
        if (json) yield* Terminal.write("]\n")
      })
    )
)

const get = Command.make(
  {
    name: "get",
    about: "get a pet (deprecated: list pets instead)",
    flags: { id, url, json }
  },
  ({ id, json }) => printOne(json, (pets) => PetsClient.ask((options) => pets.get(id, options)))
)

export const command = Command.group(
  {
    name: "pets",
    about: "add, list and get pets through a running service (PETSTORE_URL, PETSTORE_API_KEY)",
    notes: [
      "PETSTORE_API_KEY must be set to a key of the service; petstore keys create makes one.",
      "PETSTORE_URL is the address of the service; default: that of petstore serve on this machine.",
      "NODE_EXTRA_CA_CERTS names the certificate of a private authority that the service uses."
    ]
  },
  [add, list, get]
)

const titles = ["ID", ...fields.map(({ name }) => wordsOf(name).toUpperCase())]

const cells = (pet: Client.Pet): ReadonlyArray<string> => [
  String(pet.id),
  ...fields.map(({ name }) => String(pet[name] ?? ""))
]

const printOne = (json: boolean, request: PetsClient.Use<Client.Pet>) =>
  Effect.flatMap(PetsClient.call(request), (pet) =>
    json ? Terminal.print(encodePet(pet)) : table(titles)([cells(pet)])
  )
