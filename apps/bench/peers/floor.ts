/** The floor: what `node:http` costs when the answer is a constant and the request is not read. */
import { createServer } from "node:http"
import { hostname, onStop, port } from "./common.ts"

const pets = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  name: `Animal ${index + 1}`,
  categoryId: 1 + ((index + 1) % 50),
  status: "available"
}))
const body = Buffer.from(JSON.stringify(pets))
const headers = { "Content-Type": "application/json", "Content-Length": body.length }

createServer((_, response) => {
  response.writeHead(200, headers)
  response.end(body)
}).listen(port, hostname)
onStop(() => {})
