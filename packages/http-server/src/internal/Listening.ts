/** Lets a server of Node listen. */
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { ListenFailed } from "../ListenFailed.ts"

/** Where to listen. */
export interface Address {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

/** Listens, and succeeds with the URL by which callers on this machine reach the server. */
export const listen = (
  server: Server,
  { host, port }: Address
): Effect.Effect<string, ListenFailed> =>
  Effect.async((resume) => {
    server.on("error", (cause) => resume(Effect.fail(new ListenFailed({ host, port, cause }))))
    server.listen(port, host, () => resume(Effect.sync(() => urlOf(server.address()))))
  })

const urlOf = (address: AddressInfo | string | null): string => {
  if (address === null || typeof address === "string") return String(address)
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address.address] ?? address.address
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`
}
