/** `petstore pets`: reads and adds pets through a running service. */
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, NewPet, Pet, PetName } from "@petstore/domain/Pet"
import { defaultLimit } from "@petstore/domain/PetPage"
import { PetStatus } from "@petstore/domain/PetStatus"
import * as JsonEncoder from "@petstore/http-contract/JsonEncoder"
import { Pets } from "@petstore/http-contract/PetStoreApi"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import * as Terminal from "../cli/Terminal.ts"
import { fromSchema, oneOf, type Parse } from "../Parse.ts"
import { json } from "./CommonFlags.ts"
import * as PetsClient from "./PetsClient.ts"

const encodeNewPet = JsonEncoder.make(NewPet)
const encodePet = JsonEncoder.make(Pet)

const int64: Parse<bigint> = (text) =>
  Either.fromNullable(Int64.fromText(text), () => "must be a 64-bit integer")

const name = Flag.required("--name NAME", "the name of the pet", fromSchema(PetName))
const category = Flag.required("--category NUMBER", "the category of the pet", (text) =>
  Either.map(int64(text), (id) => CategoryId.make(id))
)
const limit = Flag.optional(
  "--limit NUMBER",
  `number of pets to list, 1 to 100; default: ${defaultLimit}`,
  (text) =>
    /^(?:[1-9][0-9]?|100)$/.test(text) ? Either.right(text) : Either.left("must be 1 to 100")
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
  ({ category, json, name, status }) => {
    const pet = { name, categoryId: category, ...(status && { status }) }
    return Effect.flatMap(PetsClient.ask("/pets", Pet, encodeNewPet(pet)), print(json))
  }
)

const list = Entry.command(
  {
    name: "list",
    about: "list pets by ascending id",
    examples: ["petstore pets list --status sold --all", "petstore pets list --limit 5 --json"],
    flags: { status, limit, all, url, json }
  },
  ({ all, json, limit = all ? "100" : String(defaultLimit), status }) =>
    Effect.gen(function* () {
      const printRows = Terminal.table(titles)
      const query = new URLSearchParams({ limit, ...(status && { status }) })
      let next: string | undefined = `/pets?${query}`
      let start = "["
      while (next !== undefined) {
        const answer: PetsClient.Answer<typeof Pets.Type> = yield* PetsClient.ask(next, Pets)
        next = all ? answer.next : undefined
        if (json) {
          // One pet per line.
          const lines = answer.body.map(encodePet).join(",\n ")
          yield* Terminal.write(`${start}${lines}${next === undefined ? "]\n" : ""}`)
          start = ",\n "
          continue
        }
        yield* printRows(answer.body.map(cells))
        if (!all && answer.next !== undefined && process.stdout.isTTY) {
          yield* Console.error("there are more: --all lists all pets")
        }
      }
    })
)

const get = Entry.command(
  {
    name: "get",
    about: "get a pet",
    examples: ["petstore pets get 1"],
    flags: { id, url, json }
  },
  ({ id, json }) => Effect.flatMap(PetsClient.ask(`/pets/${id}`, Pet), print(json))
)

export const entry = Entry.group(
  {
    name: "pets",
    about: "add, list and get pets through a running service (PETSTORE_URL, PETSTORE_API_KEY)",
    examples: ["petstore pets add --name Rex --category 1", "petstore pets list --all"]
  },
  [add, list, get]
)

const titles = ["ID", "NAME", "CATEGORY", "STATUS"]

const cells = ({ categoryId, id, name, status }: Pet): ReadonlyArray<string> => [
  String(id),
  name,
  String(categoryId),
  status ?? ""
]

const print =
  (json: boolean) =>
  ({ body }: PetsClient.Answer<Pet>) =>
    json ? Terminal.print(encodePet(body)) : Terminal.table(titles)([cells(body)])
