/** A load balancer: sends requests to the servers in turn. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Http from "./Http.ts"
import * as Service from "./Service.ts"

/** One of the servers. */
export interface Backend {
  readonly name: string
  readonly service: Service.Service
  /** It gets requests while it is up: it has reported that it is ready, and no request has failed since. */
  isUp: boolean
  /** How many requests it has answered. */
  answered: number
}

/** Servers, and the port of a proxy that checks them all the time. */
export interface Balancer {
  readonly port: number
  readonly backends: readonly [Backend, ...ReadonlyArray<Backend>]
}

/**
 * Starts this many servers with these options, and a proxy for them on a free port, which loses some of their answers. Shows a line
 * per second.
 */
export const make = (
  many: number,
  options: Service.Options,
  show: (text: string) => Effect.Effect<void>,
  isLost: (request: Http.Request) => boolean = () => false
): Effect.Effect<Balancer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const backends = yield* Effect.forEach(
      Arr.makeBy(many, (nth) => `replica ${nth + 1}`),
      (name) =>
        Effect.map(
          Service.started(options),
          (service): Backend => ({ name, service, isUp: true, answered: 0 })
        ),
      { concurrency: "unbounded" }
    )
    let turn = 0
    /** The next one of those that are up, or else of all: those that are not ready answer at least with 503. */
    const next = (failed: ReadonlySet<Backend>) => {
      const up = backends.filter(({ isUp }) => isUp)
      const usable = (up.length > 0 ? up : backends).filter((one) => !failed.has(one))
      return usable[turn++ % usable.length]
    }
    /** Sends a request to one server after another until one answers. */
    const forward = async (message: IncomingMessage, response: ServerResponse) => {
      const { headers, method = "", url: path = "" } = message
      const request = { method, path, headers, body: await Http.bodyOf(message) }
      const failed = new Set<Backend>()
      for (let one = next(failed); one !== undefined; one = next(failed)) {
        try {
          const { body, headers, status } = await Http.send(one.service.port, request)
          if (status < 300) one.answered += 1
          if (isLost(request)) response.destroy()
          else response.writeHead(status, headers).end(body)
          return
        } catch (error) {
          one.isUp = false
          failed.add(one)
          // A create that was sent may have been committed, so sending it again may add a second pet.
          if (method !== "GET" && !isRefused(error)) break
        }
      }
      response.writeHead(502).end()
    }
    const check = (backend: Backend) =>
      Effect.promise(async () => {
        backend.isUp = await Service.isReady(backend.service.port)
      })
    yield* Effect.forkScoped(
      Effect.forEach(backends, check, { concurrency: "unbounded" }).pipe(
        Effect.repeat(Schedule.spaced("200 millis"))
      )
    )
    const port = yield* Http.listen(
      createServer((message, response) => void forward(message, response))
    )
    for (const { name, service } of backends)
      yield* show(`${name}: port ${service.port}, process ${service.pid()}`)
    let seconds = 0
    const line = Effect.suspend(() => {
      const cells = backends.map(
        ({ answered, isUp, name }) => `${name}: ${isUp ? `${answered} answered` : "down"}`
      )
      return show([`${++seconds} s`.padStart(6), ...cells].join("   "))
    })
    yield* Effect.forkScoped(Effect.schedule(line, Schedule.fixed("1 second")))
    return { port, backends }
  })

/** Whether there was no connection, so that nothing was sent. */
const isRefused = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ECONNREFUSED"
