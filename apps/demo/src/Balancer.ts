/** A load balancer: sends requests to the servers in turn. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Http from "./Http.ts"
import * as Replica from "./Replica.ts"

/** Starts a proxy for these servers on a free port, which it returns. It checks them all the time. */
export const make = (
  replicas: ReadonlyArray<Replica.Replica>
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    let turn = 0
    const next = (failed: ReadonlySet<Replica.Replica>) => {
      const up = replicas.filter(({ state }) => state === "up")
      // Those that are not ready answer at least with 503.
      const usable = (up.length > 0 ? up : replicas).filter((one) => !failed.has(one))
      return usable[turn++ % usable.length]
    }
    const server = createServer((request, response) => void forward(next, request, response))
    yield* Effect.forkScoped(
      Effect.forEach(replicas, Replica.check, { concurrency: "unbounded" }).pipe(
        Effect.repeat(Schedule.spaced("200 millis"))
      )
    )
    return yield* Effect.acquireRelease(listen(server), () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
    )
  })

const listen = (server: ReturnType<typeof createServer>) =>
  Effect.async<number>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address ? address.port : 0))
    })
  })

type Next = (failed: ReadonlySet<Replica.Replica>) => Replica.Replica | undefined

/** Sends a request to one server after another until one answers. */
const forward = async (next: Next, message: IncomingMessage, response: ServerResponse) => {
  const { headers, method = "", url: path = "" } = message
  const request = { method, path, headers, body: await Http.bodyOf(message) }
  const failed = new Set<Replica.Replica>()
  for (let one = next(failed); one !== undefined; one = next(failed)) {
    const began = performance.now()
    try {
      const { body, headers, status } = await Http.send(one.port, request)
      one.times.push(performance.now() - began)
      one.answered += 1
      response.writeHead(status, headers).end(body)
      return
    } catch (error) {
      one.state = "down"
      failed.add(one)
      // A create that was sent may have been committed, so sending it again may add a second pet.
      if (method !== "GET" && !isRefused(error)) break
    }
  }
  response.writeHead(502).end()
}

/** Whether there was no connection, so that nothing was sent. */
const isRefused = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ECONNREFUSED"
