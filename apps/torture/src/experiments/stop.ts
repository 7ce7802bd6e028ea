/** Stops of the service. */
import { once } from "node:events"
import type * as History from "@petstore/store-testkit/History"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Experiment, Trial } from "../Experiment.ts"
import * as Load from "../Load.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wait from "../Wait.ts"
import * as Wire from "../Wire.ts"

const secondsPerStop = 2.5

/** How many callers there are of each kind: most are called before the stop, and go on after it. */
const counts = {
  writes: 64,
  "new connections": 32,
  uploads: 32,
  pipelined: 8,
  late: 16,
  idle: 16,
  fresh: 4
}
type Kind = keyof typeof counts
const pipelinedRequests = 24

/** The service is stopped while requests of every kind are under way, again and again, and started again. */
export const stop: Experiment = {
  name: "stop",
  attack:
    "SIGTERM with writes queued, bodies half sent, requests pipelined, connections idle and new, and new ones during the drain",
  databases: ["sqlite", "postgres"],
  seconds: 2 * secondsPerStop,
  least: { stops: 2, answered: 200 },
  controls: [{ broken: "PETSTORE_DRAIN_SECONDS=1, which is less than some uploads take" }],
  run: (trial) =>
    Effect.gen(function* () {
      const { isControl, seconds, wrong } = trial
      const { url } = yield* Storage.make(trial.database)
      // On a busy machine uploads may take longer than the default time.
      const drain = { PETSTORE_DRAIN_SECONDS: isControl ? "1" : "60" }
      const service = yield* Service.make({ url, env: drain })
      const history: Array<History.Entry> = []
      const connections: Array<Wire.Connection> = []
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const { socket } of connections) socket.destroy()
        })
      )
      for (let nth = Math.max(2, Math.round(seconds / secondsPerStop)); nth > 0; nth--) {
        yield* Effect.orDie(service.start)
        const callers = callersOf(service.port, `${nth}`, trial, history, connections)
        const goOn = yield* Effect.promise(() => callers)
        const stopping = yield* Effect.fork(service.stop)
        yield* Effect.promise(goOn)
        const code = yield* Fiber.join(stopping)
        if (code !== 0) wrong(`a stop ended with exit code ${code}`)
        trial.count("stops")
      }
      yield* Effect.orDie(service.start)
      yield* Load.ended(trial, { history }, service.port)
    })
}

/** Callers with requests under way, and what they see: they go on once the service has the signal to stop. */
const callersOf = async (
  port: number,
  batch: string,
  { count, random, wrong }: Trial,
  history: Array<History.Entry>,
  connections: Array<Wire.Connection>
) => {
  let names = 0
  const begin = performance.now()
  const petOf = (kind: Kind) => ({ name: `${kind} ${batch}/${++names}`, categoryId: names })
  const note = (sent: History.SentPet, begin: number, answer: Wire.Answer | undefined) => {
    if (answer !== undefined) count("answered")
    history.push({
      kind: "create",
      sent,
      begin,
      end: answer === undefined ? Infinity : performance.now(),
      // What is executed is answered: a pet without an answer must not be there, as if it had been refused.
      status: answer?.status ?? 499,
      ...(answer?.status === 201 && { pet: JSON.parse(answer.body.toString()) })
    })
  }
  const complain = (kind: Kind, of: string) => wrong(`${kind}: a request ${of}`)
  const open = async () => {
    const connection = Wire.open(port)
    connections.push(connection)
    await once(connection.socket, "connect")
    return connection
  }
  /** Sends pets, or asks for a list where there is none, up to this byte. The function that it returns goes on. */
  const call = async (
    kind: Kind,
    connection: Wire.Connection,
    sent: ReadonlyArray<History.SentPet | undefined>,
    lengthOf = (text: string) => text.length
  ) => {
    const text = sent.map((pet) => (pet ? create(pet) : list)).join("")
    const length = lengthOf(text)
    await write(connection, text.slice(0, length))
    return async () => {
      if (length < text.length) await write(connection, text.slice(length))
      let last: Wire.Answer | undefined
      for (const [nth, pet] of sent.entries()) {
        const answer = await connection.read().catch(() => undefined)
        if (pet !== undefined) note(pet, begin, answer)
        // Callers of HTTP send again what they sent after the last answer of a connection.
        const isLost = nth === 0 || last?.headers.get("connection") !== "close"
        if (answer === undefined && isLost) complain(kind, "got no answer")
        if (answer !== undefined && answer.status !== (pet === undefined ? 200 : 201))
          complain(kind, `got ${answer.status}`)
        last = answer ?? last
      }
      const rest = await connection.closed()
      if (rest.length > 0) complain(kind, `got ${rest} after its answers`)
    }
  }
  const many = <A>(kind: Kind, make: () => Promise<A>) =>
    Promise.all(Array.from({ length: counts[kind] }, make))

  const idle = await many("idle", async () => call("idle", await open(), []))
  const late = await many("late", async () => call("late", await open(), [petOf("late")], () => 0))
  const uploads = await many("uploads", async () =>
    // The head arrives, and a part of the body.
    call("uploads", await open(), [petOf("uploads")], (text) => {
      const body = text.indexOf("{")
      return body + random.below(text.length - body)
    })
  )
  const warm = await many("writes", open)
  const pipes = await many("pipelined", open)
  const mixed = () => (random.below(4) === 0 ? undefined : petOf("pipelined"))
  const written = await Promise.all([
    ...pipes.map((pipe) =>
      call("pipelined", pipe, Array.from({ length: pipelinedRequests }, mixed))
    ),
    ...warm.map((connection) => call("writes", connection, [petOf("writes")])),
    many("new connections", async () =>
      call("new connections", await open(), [petOf("new connections")])
    )
  ])

  /** Opens connections until one is refused. One that the kernel had accepted may be reset, if nothing was done. */
  const untilRefused = async () => {
    for (;;) {
      const begin = performance.now()
      const connection = await open().catch(() => undefined)
      if (connection === undefined) return
      const pet = petOf("fresh")
      await write(connection, create(pet))
      const answer = await connection.read().catch(() => undefined)
      note(pet, begin, answer)
      if (![201, 503, undefined].includes(answer?.status)) complain("fresh", "got another status")
      connection.socket.destroy()
    }
  }
  return async () => {
    const isRefused = many("fresh", untilRefused)
    const isIdleClosed = Promise.all(idle.map((goOn) => goOn()))
    await Promise.all([
      ...[...late, ...written.flat()].map((goOn) => goOn()),
      ...uploads.map(async (goOn, nth) => {
        await (nth % 2 === 0 ? isRefused : isIdleClosed)
        // Some take longer than the least drain time.
        if (nth % 4 === 1) await Wait.pause(500)
        await goOn()
      })
    ])
  }
}

/** Hands these bytes to the kernel. */
const write = ({ socket }: Wire.Connection, text: string) =>
  new Promise<void>((resolve) => socket.write(text, () => resolve()))

const list = Wire.request("GET /v1/pets?limit=100")
const create = (pet: object) => Wire.request("POST /v1/pets", pet)
