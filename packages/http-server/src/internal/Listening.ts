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

/** Where a server listens. */
export interface Place {
  /** The URL by which callers on this machine reach it. */
  readonly url: string
  /** The address, such as `0.0.0.0` for all. */
  readonly host: string
}

/** Listens, and succeeds with the place. */
export const listen = (
  server: Server,
  { host, port }: Address
): Effect.Effect<Place, ListenFailed> =>
  Effect.async((resume) => {
    server.on("error", (cause) => resume(Effect.fail(new ListenFailed({ host, port, cause }))))
    server.listen(port, host, () => resume(Effect.sync(() => placeOf(server.address()))))
  })

const placeOf = (address: AddressInfo | string | null): Place => {
  if (address === null || typeof address === "string") throw new Error(`no address: ${address}`)
  const { address: host, port } = address
  const local = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host
  return { url: `http://${local.includes(":") ? `[${local}]` : local}:${port}`, host }
}
