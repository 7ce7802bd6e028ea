/** A service to call, and servers that are not a Pet Store. */
import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createSecureServer, type ServerOptions } from "node:https"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { folder } from "./Folder.ts"
import { run, runOnTerminal, serve } from "./Program.ts"
import { addPets } from "./Stock.ts"

/** A running service with these pets, and commands that call it. */
export const service = (ndjson = "") =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* addPets(path, ndjson)
    const { url } = yield* serve(path, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
    const environment = { PETSTORE_URL: url, PETSTORE_API_KEY: "the-key-of-the-tests" }
    return {
      path,
      environment,
      pets: (...words: ReadonlyArray<string>) => run(path, ["pets", ...words], { environment }),
      seen: (...words: ReadonlyArray<string>) =>
        runOnTerminal(path, ["pets", ...words], { environment })
    }
  })

/** Another HTTP server. */
export const stranger = (listener: RequestListener) =>
  Effect.map(
    listening(() => createServer(listener)),
    (place) => `http://${place}`
  )

/** A server with TLS. */
export const secureStranger = (options: ServerOptions) =>
  Effect.map(
    listening(() => createSecureServer(options)),
    (place) => `https://${place}`
  )

/** The address of a server, which is closed with the scope. */
const listening = (
  make: () => Pick<Server, "address" | "close" | "closeAllConnections" | "listen">
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<ReturnType<typeof make>>((resume) => {
        const server = make()
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** Control characters other than tab and newline. */
export const escapes = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}]/u
