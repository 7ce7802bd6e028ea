/** A caller's test: the client on the service in memory. */
import { createPetStore } from "@petstore/http-client"
import { createFakePetStore } from "@petstore/http-client/testing"

const fake = createFakePetStore({ pets: [{ name: "Ida", categoryId: 3 }] })
const { pets } = createPetStore({ ...fake, retries: 0 })

fake.failNext("unavailable")
const failed = await pets.list().catch(({ code }) => code)
fake.failNext("timed_out")
const late = await pets.list({}, { timeout: 50 }).catch(({ code }) => code)
const added = await pets.add({ name: "Rex", categoryId: 9007199254740993n })
const large = await pets.add({ name: "a".repeat(70_000), categoryId: 1 }).catch(({ code }) => code)
const names: Array<string> = []
for await (const { name } of pets.list({ limit: 1 })) names.push(name)

const report = [failed, late, String(added.categoryId), large, ...names, fake.requests.length]
process.stdout.write(JSON.stringify(report))
