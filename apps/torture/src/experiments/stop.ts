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

/** What callers of one kind do: they are called before the stop, and go on after it. */
type Kind = "writes" | "new connections" | "uploads" | "pipelined" | "late" | "idle" | "fresh"

const counts: Readonly<Record<Kind, number>> = {
  writes: 64,
  "new connections": 32,
  uploads: 32,
  pipelined: 8,
  late: 16,
  idle: 16,
  fresh: 4
}
const pipelinedRequests = 24

/** The service is stopped while requests of every kind are under way, again and again, and started again. */
export const stop: Experiment = {
  name: "stop",
  attack:
    "SIGTERM with writes queued, bodies half sent, requests pipelined, connections idle and new, and new ones during the drain",
  databases: ["sqlite", "postgres"],
  seconds: 2 * secondsPerStop,
  least: { stops: 2, answered: 200 },
  control: { broken: "PETSTORE_DRAIN_SECONDS=1, which is less than some uploads take" },
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
  const note = (sent: History.SentPet, begin: number, answer: Answer | undefined) => {
    if (answer !== undefined) count("answered")
    history.push({
      kind: "create",
      sent,
      begin,
      end: answer?.at ?? Infinity,
      // What is executed is answered: a pet without an answer must not be there, as if it had been refused.
      status: answer?.status ?? 499,
      ...(answer?.status === 201 && { pet: JSON.parse(answer.body.toString()) })
    })
  }
  const complain = (kind: Kind, of: string) => wrong(`${kind}: a request ${of}`)
  /** Sends pets, or asks for a list where there is none. */
  const send = async (
    kind: Kind,
    connection: Wire.Connection,
    ...sent: ReadonlyArray<History.SentPet | undefined>
  ): Promise<Sent> => {
    await write(connection, sent.map((pet) => (pet ? create(pet) : list)).join(""))
    return { kind, connection, sent }
  }
  /** Expects that each of them is answered in order. */
  const expect = async ({ connection, kind, sent }: Sent) => {
    const { answers, rest } = await read(connection, sent.length + 1)
    for (const [nth, pet] of sent.entries()) {
      const answer = answers[nth]
      if (pet !== undefined) note(pet, begin, answer)
      // Callers of HTTP send again what they sent after the last answer of a connection.
      if (
        answer === undefined &&
        (nth === 0 || answers.at(-1)?.headers.get("connection") !== "close")
      ) {
        complain(kind, "got no answer")
      } else if (answer !== undefined && answer.status !== (pet === undefined ? 200 : 201)) {
        complain(kind, `got ${answer.status}`)
      }
    }
    if (answers.length > sent.length) complain(kind, "got two answers")
    if (rest > 0) complain(kind, "got a part of an answer")
  }
  const open = async () => {
    const connection = Wire.open(port)
    connections.push(connection)
    await once(connection.socket, "connect")
    return connection
  }
  const many = <A>(kind: Kind, make: () => Promise<A>) =>
    Promise.all(Array.from({ length: counts[kind] }, make))

  const idle = await many("idle", open)
  const late = await many("late", open)
  const uploads = await many("uploads", async () => {
    const pet = petOf("uploads")
    const request = create(pet)
    // The head arrives, and a part of the body.
    const part = request.indexOf("{") + random.below(request.length - request.indexOf("{"))
    const connection = await open()
    await write(connection, request.slice(0, part))
    return { pet, connection, rest: request.slice(part) }
  })
  const warm = await many("writes", open)
  const pipes = await many("pipelined", open)
  const mixed = () => (random.below(4) === 0 ? undefined : petOf("pipelined"))
  const written = await Promise.all([
    ...pipes.map((connection) =>
      send("pipelined", connection, ...Array.from({ length: pipelinedRequests }, mixed))
    ),
    ...warm.map((connection) => send("writes", connection, petOf("writes"))),
    ...Array.from({ length: counts["new connections"] }, async () =>
      send("new connections", await open(), petOf("new connections"))
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
      const { answers, rest } = await read(connection, 1)
      const [answer] = answers
      note(pet, begin, answer)
      if (![201, 503, undefined].includes(answer?.status)) complain("fresh", "got another status")
      if (rest > 0) complain("fresh", "got a part of an answer")
      connection.socket.destroy()
    }
  }
  return async () => {
    const isRefused = many("fresh", untilRefused)
    const idleClosed = Promise.all(idle.map(({ closed }) => closed()))
    await Promise.all([
      ...late.map(async (connection) => expect(await send("late", connection, petOf("late")))),
      ...written.map(expect),
      ...uploads.map(async ({ connection, pet, rest }, nth) => {
        await (nth % 2 === 0 ? isRefused : idleClosed)
        // Some take longer than the least drain time.
        if (nth % 4 === 1) await Wait.pause(500)
        await write(connection, rest)
        await expect({ kind: "uploads", connection, sent: [pet] })
      }),
      idleClosed
    ])
    if (Buffer.concat(await idleClosed).length > 0)
      complain("idle", "was answered that nothing sent")
  }
}

/** What was sent on a connection: pets, or requests for a list. */
interface Sent {
  readonly kind: Kind
  readonly connection: Wire.Connection
  readonly sent: ReadonlyArray<History.SentPet | undefined>
}

/** An answer, and when its last byte arrived. */
interface Answer extends Wire.Answer {
  readonly at: number
}

/** Reads this many answers, or those before the connection is closed; then `rest` is how many bytes followed. */
const read = async ({ closed, read }: Wire.Connection, many: number) => {
  const answers: Array<Answer> = []
  while (answers.length < many) {
    const answer = await read("content").catch(() => undefined)
    if (answer === undefined) return { answers, rest: (await closed()).length }
    answers.push({ ...answer, at: performance.now() })
  }
  return { answers, rest: 0 }
}

/** Hands these bytes to the kernel. */
const write = ({ socket }: Wire.Connection, text: string) =>
  new Promise<void>((resolve) => socket.write(text, () => resolve()))

const list = Wire.request("GET /v1/pets?limit=100")
const create = (pet: object) => Wire.request("POST /v1/pets", pet)
