/** A process of the service. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Http from "./Http.ts"

/** One of the servers, which may be down. */
export interface Replica {
  readonly name: string
  readonly port: number
  /** It gets requests while it is up: it has reported that it is ready, and no request has failed since. */
  state: "starting" | "up" | "down"
  /** How long each request took that it answered since the last report, in milliseconds. */
  times: Array<number>
  /** How many requests it has answered. */
  answered: number
  readonly pid: () => number | undefined
  /** Starts its process, and succeeds once it is ready. */
  readonly start: Effect.Effect<void>
  /** Kills its process, as a crash would. */
  readonly kill: Effect.Effect<void>
}

/** The key that the servers accept. */
export const key = "demo-key-0123456789abcdef0123456789abcdef"

const { resolve } = createRequire(import.meta.url)
const program = join(dirname(resolve("@petstore/api/package.json")), "dist/main.js")
const startTimeout = "60 seconds"
const stopTimeoutMillis = 10_000

/** Starts a server on this database; it stops with the scope. */
export const make = (name: string, url: string): Effect.Effect<Replica, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(LocalPostgres.freePort)
    let child: ChildProcess | undefined
    const replica: Replica = {
      name,
      port,
      state: "starting",
      times: [],
      answered: 0,
      pid: () => child?.pid,
      start: Effect.suspend(() => {
        child = launch(port, url)
        replica.state = "starting"
        return untilReady(replica)
      }),
      kill: Effect.promise(() => end(child, "SIGKILL"))
    }
    yield* Effect.addFinalizer(() => Effect.promise(() => end(child, "SIGTERM")))
    yield* replica.start
    return replica
  })

/** Asks a server whether it is ready. */
export const check = (replica: Replica): Effect.Effect<void> =>
  Effect.promise(async () => {
    const request = { method: "GET", path: "/readyz", headers: {}, body: Buffer.of() }
    const { status } = await Http.send(replica.port, request).catch(() => ({ status: 0 }))
    if (status === 200) replica.state = "up"
    else if (replica.state === "up") replica.state = "down"
  })

const untilReady = (replica: Replica) =>
  check(replica).pipe(
    Effect.delay("50 millis"),
    Effect.repeat({ until: () => replica.state === "up" }),
    Effect.timeout(startTimeout),
    Effect.orDie,
    Effect.asVoid
  )

const launch = (port: number, url: string) =>
  spawn(process.execPath, [program], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      HOST: "127.0.0.1",
      PORT: String(port),
      DATABASE_URL: url,
      PETSTORE_API_KEYS: key,
      LOG_LEVEL: "error"
    }
  })

const end = async (child: ChildProcess | undefined, signal: "SIGKILL" | "SIGTERM") => {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill(signal)
  const last = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMillis)
  await ended
  clearTimeout(last)
}
