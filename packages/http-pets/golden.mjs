import { writeFileSync } from "node:fs"
import { contract } from "@petstore/http-pets/PetStoreApi"
import * as D from "@petstore/http-transport/OpenApiDocument"

const out = process.argv[2]
const o = {
  a: D.make(contract),
  b: D.make({ ...contract, basePath: "/shop/v1" }),
  c: D.make({ ...contract, servers: [{ url: "https://x.org/v1", description: "P" }] })
}
for (const k in o) writeFileSync(`${out}/${k}.json`, JSON.stringify(o[k], null, 1))
