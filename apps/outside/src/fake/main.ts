/** A caller's test: the client on the service in memory. */

import { createPetStore } from "@petstore/http-client"
import * as FakePetStore from "@petstore/http-pets/FakePetStore"

const fake = FakePetStore.make({ pets: [{ name: "Ida", categoryId: 3 }] })
const { pets } = createPetStore({ ...fake, retries: 0 })

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "none",
    ({ code }) => code
  )

fake.failNext("unavailable")
const failed = await codeOf(pets.list())
fake.failNext("timed_out")
const late = await codeOf(pets.list({}, { timeout: 50 }))
const added = await pets.add({ name: "Rex", categoryId: 9007199254740993n })
const large = await codeOf(pets.add({ name: "a".repeat(70_000), categoryId: 1 }))
const names: Array<string> = []
for await (const { name } of pets.list({ limit: 1 })) names.push(name)

const report = [failed, late, String(added.categoryId), large, ...names, fake.requests.length]
process.stdout.write(JSON.stringify(report))
