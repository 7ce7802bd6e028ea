/** The address of the caller, which proxies in front of the service may have to name. */
import { isIP, isIPv6, SocketAddress } from "node:net"
import type { Exchange } from "./internal/exchange/Exchange.ts"

/** The address of a request's caller. */
export type ClientAddress = (exchange: Pick<Exchange, "request">) => string

/** Trusts this many proxies in front of the service: the address is what the outermost of them saw. */
export const make =
  (trustedHops: number): ClientAddress =>
  ({ request: { headers, socket } }) => {
    const peer = plain(socket.remoteAddress ?? "")
    if (trustedHops === 0) return peer
    // Each proxy appends the address that it saw; what a caller sent itself stands before those.
    const named = String(headers["x-forwarded-for"] ?? "").split(",")
    const address = plain(named.at(-trustedHops)?.trim() ?? "")
    return isIP(address) === 0 ? peer : address
  }

/** What one caller has to itself: an IPv4 address, or the network of an IPv6 address (64 bits). */
export const networkOf = (address: string): string => {
  const known = plain(address)
  return isIPv6(known) ? groupsOf(known).slice(0, 4).join(":") : known
}

/** Without a port, which some proxies add, and in one spelling; IPv4 as such, even on an IPv6 socket. */
const plain = (address: string): string => {
  const bare = address
    .replace(/^\[([^\]]*)\](?::[0-9]+)?$|^([0-9.]+):[0-9]+$/, "$1$2")
    .replace(mapped, "")
  if (!isIPv6(bare)) return bare
  return new SocketAddress({ address: bare, family: "ipv6" }).address.replace(mapped, "")
}

const mapped = /^::ffff:(?=[0-9.]+$)/i

const groupsOf = (address: string): ReadonlyArray<string> => {
  const [before = [], after = []] = address
    .split("::")
    .map((half) => half.split(":").filter(Boolean))
  return [...before, ...Array(8 - before.length - after.length).fill("0"), ...after]
}
