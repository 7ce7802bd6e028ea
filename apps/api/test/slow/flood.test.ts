/** Clients that pipeline requests and never read a response. */
import { connect } from "node:net"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "../support/Folder.ts"
import { serve } from "../support/Process.ts"

const requests = Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3000))

/** Sends requests as long as the server accepts them. */
const flood = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(port, "127.0.0.1")
      const write = () => {
        while (socket.write(requests));
        socket.once("drain", write)
      }
      return socket
        .pause()
        .on("error", () => {})
        .once("connect", write)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

live("a flood of unread answers fits in a small heap and delays no other caller", function* () {
  const { program, url } = yield* serve(yield* folder, {
    NODE_OPTIONS: "--max-old-space-size=128",
    PETSTORE_DRAIN_SECONDS: "2"
  })
  for (let at = 0; at < 10; at++) yield* flood(Number(new URL(url).port))
  const until = performance.now() + 3000
  for (let served = 0; served < 5 || performance.now() < until; served++) {
    const answer = yield* Effect.promise(() => fetch(`${url}/readyz`))
    expect(answer.status).toBe(200)
    yield* Effect.sleep("20 millis")
  }
  const ended = yield* Effect.promise(() => program.stop("SIGTERM"))
  expect(ended).toMatchObject({ code: 0, signal: null })
})
