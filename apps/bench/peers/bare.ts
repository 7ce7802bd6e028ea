/** No framework: `node:http` and a router by hand. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import {
  ApiError,
  hostname,
  internalError,
  isAuthorized,
  malformedJson,
  nextLink,
  notFound,
  onStop,
  petNotFound,
  port,
  ready,
  toAfter,
  toLimit,
  toNewPet,
  toPetId,
  toStatus,
  unauthorized
} from "./common.ts"
import * as store from "./store.ts"

const maximumBody = 64 * 1024

const server = createServer((request, response) => {
  route(request, response).catch((error: unknown) => {
    const failure = error instanceof ApiError ? error : internalError()
    send(response, failure.status, failure)
  })
})

const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (!isAuthorized(request.headers.authorization)) throw unauthorized()
  const url = request.url ?? "/"
  const mark = url.indexOf("?")
  const path = mark === -1 ? url : url.slice(0, mark)
  if (path === "/v1/pets") {
    if (request.method === "GET") {
      return listPets(response, new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1)))
    }
    if (request.method === "POST")
      return send(response, 201, store.add(toNewPet(await json(request))))
  } else if (path.startsWith("/v1/pets/") && request.method === "GET") {
    const pet = store.get(toPetId(path.slice("/v1/pets/".length)))
    if (pet === undefined) throw petNotFound()
    return send(response, 200, pet)
  }
  throw notFound()
}

const listPets = (response: ServerResponse, query: URLSearchParams): void => {
  const limit = toLimit(query.get("limit"))
  const status = toStatus(query.get("status"))
  const page = store.list(limit, status, toAfter(query.get("cursor")))
  if (page.next !== undefined) response.setHeader("Link", nextLink(page.next, limit, status))
  send(response, 200, page.pets)
}

const json = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maximumBody) throw new ApiError(413, "payload_too_large", "the body is too large")
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw malformedJson()
  }
}

const send = (response: ServerResponse, status: number, value: unknown): void => {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body)
  })
  response.end(body)
}

server.listen(port, hostname, ready)
onStop(store.close)
