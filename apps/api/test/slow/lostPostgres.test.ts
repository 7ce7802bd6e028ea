/** PostgreSQL is killed and started again while a server uses it. */
import { describe, expect, it } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { Effect, Fiber } from "effect"
import { type Answer, add, all, call, firstPage } from "../support/Calls.ts"
import { examine } from "../support/Doctor.ts"
import { folder } from "../support/Folder.ts"
import { start } from "../support/Process.ts"
import { expectCalm } from "../support/ServerLog.ts"

const key = "the-key-of-the-tests"
const restarts = 5
/** Twice what is promised, in milliseconds: the machine may be busy. */
const longestReturn = 4000
const longestAnswer = 6000

/** A server of its own, since it is killed. */
const postgres = Effect.acquireRelease(
  Effect.promise(() => LocalPostgres.start("fsync=off")),
  ({ remove }) => Effect.promise(remove)
)

/** Writers and readers that run until they are stopped, and the answers they got. */
const startLoad = (url: string) =>
  Effect.gen(function* () {
    const answers: Array<Answer> = []
    const acknowledged: Array<string> = []
    let isDone = false
    const send = (called: Effect.Effect<Answer>) =>
      Effect.tap(called, (answer) => {
        answers.push(answer)
        return Effect.sleep("5 millis")
      })
    const write = (writer: number) =>
      Effect.gen(function* () {
        for (let nth = 0; !isDone; nth++) {
          const { status } = yield* send(add(url, key, `${writer}/${nth}`))
          if (status === 201) acknowledged.push(`${writer}/${nth}`)
        }
      })
    const read = Effect.repeat(send(call(url + firstPage, key)), { until: () => isDone })
    const all = [...[1, 2, 3, 4, 5, 6, 7, 8].map(write), read, read, read, read]
    const running = yield* Effect.fork(Effect.all(all, { concurrency: "unbounded" }))
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    return {
      acknowledged,
      answers,
      /** Waits for so many more answers with this status. */
      more: (status: number, many: number) =>
        Effect.gen(function* () {
          const enough = count(status) + many
          while (count(status) < enough) yield* Effect.sleep("5 millis")
        }).pipe(Effect.raceFirst(Fiber.join(running))),
      stop: Effect.suspend(() => {
        isDone = true
        return Fiber.join(running)
      })
    }
  })

/** Repeats a call until it has this status, or for too long. Returns how many milliseconds that took. */
const until = (status: number, called: Effect.Effect<Answer>) =>
  Effect.gen(function* () {
    const begin = performance.now()
    const duration = () => performance.now() - begin
    while ((yield* called).status !== status && duration() < longestReturn) {
      yield* Effect.sleep("5 millis")
    }
    return duration()
  })

/** Expects `doctor`, and a server that starts now, to say what is wrong. */
const expectReported = (path: string, environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const message =
      /^DATABASE_URL postgres:\/\/\*\*\*@\S+ cannot be used \(connect ECONNREFUSED \S+\): check that PostgreSQL runs/
    const { of } = yield* examine(path, environment)
    expect(of("database")).toEqual([
      { subject: "database", state: "bad", message: expect.stringMatching(message) }
    ])
    const another = yield* start(path, { ...environment, PETSTORE_START_TIMEOUT_SECONDS: "0" })
    const { code, stderr } = yield* Effect.promise(() => another.ended)
    expect(stderr).toMatch(message)
    expect(code).toBe(3)
  })

describe("a server whose PostgreSQL is killed again and again", () => {
  it.scopedLive("answers 503 until it is back, loses nothing, and is not restarted", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const server = yield* postgres
      const environment = {
        DATABASE_URL: yield* Effect.promise(server.createDatabase),
        PETSTORE_API_KEYS: key,
        PETSTORE_KEEP_ALIVE_SECONDS: "60"
      }
      const program = yield* start(path, environment)
      const url = yield* Effect.promise(() => program.url())
      const ready = call(`${url}/readyz`, key)
      const { acknowledged, answers, more, stop } = yield* startLoad(url)
      for (let nth = 0; nth < restarts; nth++) {
        yield* Effect.all([more(200, 20), more(201, 50)], { concurrency: "unbounded" })
        server.kill()
        expect(yield* until(503, ready)).toBeLessThan(longestReturn)
        yield* more(503, 50)
        expect((yield* ready).status).toBe(503)
        if (nth === 0) yield* expectReported(path, environment)
        yield* Effect.promise(server.start)
        const returns = yield* Effect.all(
          [
            until(200, ready),
            until(200, call(url + firstPage, key)),
            until(201, add(url, key, `after ${nth}`))
          ],
          { concurrency: "unbounded" }
        )
        for (const millis of returns) expect(millis).toBeLessThan(longestReturn)
      }
      yield* stop
      for (const { body, millis, retryAfter, status } of answers) {
        expect([200, 201, 503], JSON.stringify(body)).toContain(status)
        expect(retryAfter).toBe(status === 503 ? "1" : undefined)
        expect(millis).toBeLessThan(longestAnswer)
      }
      const names = (yield* all(url, key)).map(({ name }) => name)
      expect(acknowledged.filter((name) => !names.includes(name))).toEqual([])
      expect((yield* call(`${url}/healthz`, key)).status).toBe(200)
      yield* Effect.promise(() =>
        program.until(/works again; it was down for \d+ s, and \d\d+ req/)
      )
      expectCalm(program)
      expect(yield* Effect.promise(() => program.stop("SIGTERM"))).toMatchObject({ code: 0 })
    })
  )
})
