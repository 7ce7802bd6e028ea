/** A reverse proxy that serves another server under a path of its own. */
import { createServer, request } from "node:http"
import { listen } from "./Listening.ts"
import type { AtEnd } from "./Processes.ts"

/** Serves the server at this address under a prefix, and nothing else, until the end. Resolves to the address. */
export const start = async (target: string, prefix: string, atEnd: AtEnd): Promise<string> => {
  const server = createServer((incoming, outgoing) => {
    const { headers, method, url = "" } = incoming
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end()
    const forwarded = request(target + url.slice(prefix.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.once("error", () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  return (await listen(server, atEnd)) + prefix
}
