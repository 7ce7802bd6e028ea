/** Starts the service in a test: on pets in memory, and on the example of a store. */
import { existsSync, rmSync } from "node:fs"
import { type Options, startPetStore } from "@petstore/api/testing"
import * as JsonPetStore from "store-json/JsonPetStore"

const file = "testing.json"

/** Adds a pet, and returns what is listed then. */
const use = async (options?: Options): Promise<string> => {
  await using service = await startPetStore(options)
  const headers = { Authorization: `Bearer ${service.apiKey}`, "Content-Type": "application/json" }
  const body = '{"name":"Rex","categoryId":7}'
  await fetch(`${service.url}/v1/pets`, { method: "POST", headers, body })
  return (await fetch(`${service.url}/v1/pets`, { headers })).text()
}

rmSync(file, { force: true })
const inMemory = await use()
const inFile = await use({ store: JsonPetStore.layer(file), apiKey: "key-of-the-outside" })
process.stdout.write(JSON.stringify([inMemory === inFile, inFile, existsSync(file)]))
