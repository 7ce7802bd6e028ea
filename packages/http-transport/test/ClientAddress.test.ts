/** Whose address a request has, behind proxies or not. */
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import * as ClientAddress from "@petstore/http-transport/ClientAddress"
import { expect, it } from "vitest"

const of = (hops: number, remoteAddress: string, forwarded?: string) => {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress })
  const request = Object.assign(new IncomingMessage(socket), {
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  })
  return ClientAddress.make(hops)({ request })
}

it("is the other end of the connection when no proxy is trusted", () => {
  expect(of(0, "192.0.2.1")).toBe("192.0.2.1")
  expect(of(0, "192.0.2.1", "198.51.100.7")).toBe("192.0.2.1")
  expect(of(0, "::ffff:192.0.2.1")).toBe("192.0.2.1")
  expect(of(0, "2001:db8::1")).toBe("2001:db8::1")
})

it("is what the outermost trusted proxy saw", () => {
  expect(of(1, "10.0.0.1", "203.0.113.9")).toBe("203.0.113.9")
  expect(of(1, "10.0.0.1", "1.1.1.1, 203.0.113.9")).toBe("203.0.113.9")
  expect(of(2, "10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2")).toBe("203.0.113.9")
  expect(of(1, "10.0.0.1", "2001:db8::7")).toBe("2001:db8::7")
  expect(of(1, "10.0.0.1", "203.0.113.9:4711")).toBe("203.0.113.9")
  expect(of(1, "10.0.0.1", "[2001:db8::7]:443")).toBe("2001:db8::7")
})

it("is the other end of the connection when the proxy names no address", () => {
  expect(of(1, "10.0.0.1")).toBe("10.0.0.1")
  expect(of(1, "10.0.0.1", "")).toBe("10.0.0.1")
  expect(of(1, "10.0.0.1", "unknown")).toBe("10.0.0.1")
  expect(of(3, "10.0.0.1", "1.1.1.1, 203.0.113.9")).toBe("10.0.0.1")
})
