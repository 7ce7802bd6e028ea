/** A thread of callers that misbehave, so that they do not slow down those that measure. */
import { connect, type Socket } from "node:net"
import { workerData } from "node:worker_threads"
import * as Random from "./Random.ts"
import { pause } from "./Wait.ts"
import * as Wire from "./Wire.ts"

/** What callers that misbehave do. */
export type Kind = "slow" | "deaf" | "resetting" | "flooding" | "abandoning" | "dawdling"

/** How many there are of each kind. */
export type Kinds = Readonly<Partial<Record<Kind, number>>>

/** Whom to attack. */
export interface Target {
  readonly port: number
  readonly seed: number
  readonly kinds: Kinds
}

const list = (limit: number, method = "GET", rest = "") =>
  Wire.request(`${method} /v1/pets?limit=${limit}${rest}`)
/** More than a connection buffers. */
const manyPages = list(100).repeat(16)
const flood =
  "GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong-key-0123456789\r\n\r\n".repeat(
    50
  )

/** Without its 100 bytes of content. */
const upload = Wire.request("POST /v1/pets", "x".repeat(98)).slice(0, -100)

/** Opens a connection again whenever it was closed, and does this with it. */
const again = async (port: number, attack: (socket: Socket) => Promise<void>) => {
  for (;;) {
    const socket = connect({ host: "127.0.0.1", port })
    socket.on("error", () => {})
    await attack(socket)
    socket.destroy()
    await pause(20)
  }
}

const attack = (target: Target) => {
  const random = Random.make(target.seed, "attackers")
  const attacks: Record<Kind, (socket: Socket) => Promise<void>> = {
    // A byte of a request now and then: of its head, or of its body.
    slow: async (socket) => {
      const isHead = random.next() < 0.2
      if (!isHead) socket.write(upload)
      for (const byte of isHead ? list(1).slice(0, -2) : "x".repeat(100)) {
        if (socket.closed) return
        socket.write(byte)
        await pause(100 + random.below(200))
      }
    },
    // Pages that it does not read.
    deaf: async (socket) => {
      socket.pause()
      socket.write(manyPages)
      // A connection that is not read does not notice its end.
      await pause(6000)
    },
    // Pages that it reads slowly.
    dawdling: async (socket) => {
      socket.pause()
      socket.write(manyPages)
      while (!socket.closed) {
        await pause(400)
        socket.read(32_768)
      }
    },
    // Pages that it does not wait for, each of another limit or at another address, or without their content.
    abandoning: async (socket) => {
      const nth = random.below(1_000_000)
      socket.write(list(6 + (nth % 95), nth % 2 === 0 ? "GET" : "HEAD", `&unknown=${nth}`))
      await pause(20)
      socket.destroy()
      await pause(900 + random.below(200))
    },
    resetting: async (socket) => {
      socket.write(list(100).slice(0, 1 + random.below(120)))
      await pause(random.below(30))
      socket.resetAndDestroy()
    },
    // As many requests as it can, each batch once the last one was answered.
    flooding: async (socket) => {
      socket.on("data", () => socket.write(flood))
      socket.write(flood)
      await new Promise((resolve) => socket.once("close", resolve))
    }
  }
  for (const kind of Object.keys(attacks) as Array<Kind>) {
    for (let many = target.kinds[kind] ?? 0; many > 0; many--)
      void again(target.port, attacks[kind])
  }
}

if (workerData?.port !== undefined) attack(workerData)
