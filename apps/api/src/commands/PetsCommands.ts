/** `petstore pets`: reads and adds pets through a running service. */
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, isPetName, NewPet, Pet, PetId } from "@petstore/domain/Pet"
import { defaultLimit } from "@petstore/domain/PetPage"
import * as JsonEncoder from "@petstore/http-contract/JsonEncoder"
import { Pets } from "@petstore/http-contract/PetStoreApi"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import * as Terminal from "../cli/Terminal.ts"
import type { Parse } from "../Parse.ts"
import * as CommonFlags from "./CommonFlags.ts"
import * as PetsClient from "./PetsClient.ts"

const encodeNewPet = JsonEncoder.make(NewPet)
const encodePet = JsonEncoder.make(Pet)

const int64: Parse<bigint> = (text) =>
  Either.fromNullable(Int64.fromText(text), () => "must be a 64-bit integer")

const name = Flag.required({ name: "name", value: "NAME", about: "the name of the pet" }, (text) =>
  isPetName(text) ? Either.right(text) : Either.left("must not be empty")
)
const category = Flag.required(
  { name: "category", value: "NUMBER", about: "the category of the pet" },
  (text) => Either.map(int64(text), (id) => CategoryId.make(id))
)
const limit = Flag.optional(
  {
    name: "limit",
    value: "NUMBER",
    about: `number of pets to list, 1 to 100; default: ${defaultLimit}`
  },
  (text) =>
    /^(?:[1-9][0-9]?|100)$/.test(text) ? Either.right(text) : Either.left("must be 1 to 100")
)
const all = Flag.toggle({ name: "all", about: "list all pets, not one page" })
const id = Flag.argument({ name: "ID", about: "the id of the pet" }, (text) =>
  Either.map(int64(text), (id) => PetId.make(id))
)

const add = Entry.command(
  "add",
  {
    about: "add a pet",
    examples: ["petstore pets add --name Rex --category 1 --status available"]
  },
  {
    flags: {
      name,
      category,
      status: CommonFlags.status,
      url: CommonFlags.url,
      json: CommonFlags.json
    },
    args: {}
  },
  ({ category, json, name, status, url }) =>
    Effect.gen(function* () {
      const ask = yield* PetsClient.make(url)
      const pet = { name, categoryId: category, ...statusOf(status) }
      const { body } = yield* ask({ path: "/pets", json: encodeNewPet(pet) }, Pet)
      yield* show(body, json)
    })
)

const list = Entry.command(
  "list",
  {
    about: "list pets by ascending id",
    examples: ["petstore pets list --status sold --all", "petstore pets list --limit 5 --json"]
  },
  {
    flags: { status: CommonFlags.status, limit, all, url: CommonFlags.url, json: CommonFlags.json },
    args: {}
  },
  ({ all, json, limit, status, url }) =>
    Effect.gen(function* () {
      const ask = yield* PetsClient.make(url)
      const size = Option.getOrElse(limit, () => (all ? "100" : String(defaultLimit)))
      const query = new URLSearchParams({ limit: size, ...statusOf(status) })
      const print = json ? Terminal.jsonArray(encodePet) : Effect.map(Terminal.table(titles), byRow)
      const printPets = yield* print
      let next = Option.some(`/pets?${query}`)
      while (Option.isSome(next)) {
        const answer = yield* ask({ path: next.value }, Pets)
        next = all ? answer.next : Option.none()
        yield* printPets(answer.body, Option.isNone(next))
        if (!all && !json && Option.isSome(answer.next) && (yield* Terminal.isTerminal)) {
          yield* Console.error("there are more: --all lists all pets")
        }
      }
    })
)

const get = Entry.command(
  "get",
  { about: "get a pet", examples: ["petstore pets get 1"] },
  { flags: { url: CommonFlags.url, json: CommonFlags.json }, args: { id } },
  ({ id, json, url }) =>
    Effect.gen(function* () {
      const ask = yield* PetsClient.make(url)
      const { body } = yield* ask({ path: `/pets/${id}` }, Pet)
      yield* show(body, json)
    })
)

/** The commands for pets. */
export const entry = Entry.group(
  "pets",
  {
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

const byRow = (print: Terminal.PrintRows) => (pets: ReadonlyArray<Pet>) => print(pets.map(cells))

const show = (pet: Pet, json: boolean) =>
  json
    ? Terminal.print(encodePet(pet))
    : Effect.flatMap(Terminal.table(titles), (print) => print([cells(pet)]))

const statusOf = <A>(status: Option.Option<A>) =>
  Option.isSome(status) ? { status: status.value } : {}
