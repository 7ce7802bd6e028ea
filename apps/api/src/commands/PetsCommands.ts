/** `petstore pets`: reads and adds pets through a running service. */
import * as Int64 from "@petstore/domain/Int64"
import { Pet, PetName } from "@petstore/domain/Pet"
import { defaultLimit } from "@petstore/domain/PetPage"
import { PetStatus } from "@petstore/domain/PetStatus"
import type * as Client from "@petstore/http-client/effect"
import * as JsonEncoder from "@petstore/http-contract/JsonEncoder"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import * as Terminal from "../cli/Terminal.ts"
import { fromSchema, oneOf, type Parse } from "../Parse.ts"
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

const name = Flag.required("--name NAME", "the name of the pet", fromSchema(PetName))
const category = Flag.required("--category NUMBER", "the category of the pet", int64)
const limit = Flag.optional(
  "--limit NUMBER",
  `number of pets to list, 1 to 100; default: ${defaultLimit}`,
  (text) =>
    /^(?:[1-9][0-9]?|100)$/.test(text)
      ? Either.right(Number(text))
      : Either.left("must be 1 to 100")
)
const status = Flag.optional(
  `--status ${PetStatus.literals.join("|")}`,
  "the status of the pet",
  oneOf(PetStatus.literals)
)
const all = Flag.toggle("--all", "list all pets, not one page")
const url = Flag.variable("--url URL", "the service to call", "PETSTORE_URL")
const id = Flag.required("ID", "the id of the pet", int64)

const add = Entry.command(
  {
    name: "add",
    about: "add a pet",
    examples: ["petstore pets add --name Rex --category 1 --status available"],
    flags: { name, category, status, url, json }
  },
  ({ category, json, name, status }) =>
    Effect.flatMap(
      PetsClient.call((pets) => pets.create({ name, categoryId: category, status })),
      print(json)
    )
)

const list = Entry.command(
  {
    name: "list",
    about: "list pets by ascending id",
    examples: ["petstore pets list --status sold --all", "petstore pets list --limit 5 --json"],
    flags: { status, limit, all, url, json }
  },
  ({ all, json, limit = all ? 100 : defaultLimit, status }) =>
    PetsClient.call((pets) =>
      Effect.gen(function* () {
        const printRows = Terminal.table(titles)
        let start = "["
        const printPage = (page: ReadonlyArray<Client.Pet>) => {
          if (!json) return printRows(page.map(cells))
          // One pet per line.
          const text = start + page.map(encodePet).join(",\n ")
          start = ",\n "
          return Terminal.write(text)
        }
        if (all) {
          yield* Stream.runForEachChunk(pets.stream({ limit, status }), (chunk) =>
            printPage(Chunk.toReadonlyArray(chunk))
          )
        } else {
          const page = yield* pets.list({ limit, status })
          yield* printPage(page.pets)
          if (!json && page.next !== undefined && (yield* Terminal.isInteractive)) {
            yield* Terminal.printError("there are more: --all lists all pets")
          }
        }
        if (json) yield* Terminal.write("]\n")
      })
    )
)

const get = Entry.command(
  {
    name: "get",
    about: "get a pet",
    examples: ["petstore pets get 1"],
    flags: { id, url, json }
  },
  ({ id, json }) =>
    Effect.flatMap(
      PetsClient.call((pets) => pets.get(id)),
      print(json)
    )
)

export const entry = Entry.group(
  {
    name: "pets",
    about: "add, list and get pets through a running service (PETSTORE_URL, PETSTORE_API_KEY)",
    notes: [
      "PETSTORE_API_KEY must be set to a key of the service; petstore keys create makes one.",
      "PETSTORE_URL is the address of the service; default: that of petstore serve on this machine."
    ],
    examples: ["petstore pets add --name Rex --category 1", "petstore pets list --all"]
  },
  [add, list, get]
)

const titles = ["ID", "NAME", "CATEGORY", "STATUS"]

const cells = ({ categoryId, id, name, status }: Client.Pet): ReadonlyArray<string> => [
  String(id),
  name,
  String(categoryId),
  status ?? ""
]

const print = (json: boolean) => (pet: Client.Pet) =>
  json ? Terminal.print(encodePet(pet)) : Terminal.table(titles)([cells(pet)])
