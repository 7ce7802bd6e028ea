/** Calls through the functions that orval generates. */
import { createPet, getPet, listPets } from "./generated/orval.ts"

const [, key = "", name = ""] = process.argv.slice(2)
const withKey = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

const created = await createPet({ name, categoryId: 7, status: "sold" }, withKey(key))
if (created.status !== 201) throw new Error(created.data.message)
const got = await getPet(created.data.id, withKey(key))
const listed = await listPets({ limit: 100, status: "sold" }, withKey(key))
const refused = await listPets({}, withKey("wrong"))
const report = { created: created.data, got: got.data, listed: listed.data, refused: refused.data }
process.stdout.write(JSON.stringify(report))

/** Not called: it only has to be refused by the compiler. */
export const misspelled = () =>
  // @ts-expect-error: there is no such property
  createPet({ name, categoryId: 7, staus: "sold" })
