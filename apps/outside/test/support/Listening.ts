/** HTTP servers of the tests. */
import { once } from "node:events"
import type { Server } from "node:http"
import type { AtEnd } from "./Processes.ts"

/** Listens on a free port of this machine until the end. Resolves to the origin. */
export const listen = async (server: Server, atEnd: AtEnd): Promise<string> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return originOf(server, atEnd)
}

/** The origin of a server that listens, until the end. */
export const originOf = (server: Server, atEnd: AtEnd): string => {
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return `http://127.0.0.1:${address.port}`
}
