/** Calls of a running service, over connections that stay open. */
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { text } from "node:stream/consumers"
import { Effect, Schema } from "effect"

/** A pet of an answer. */
export type Pet = typeof Pet.Type
const Pet = Schema.Struct({ id: Schema.Number, name: Schema.String })
const decodePet = Schema.decodeUnknownSync(Pet)
const decodePets = Schema.decodeUnknownSync(Schema.Array(Pet))

/** An answer, and how many milliseconds it took. */
export interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly link: string
  readonly location: string | undefined
  readonly body: unknown
  readonly millis: number
}

/** What to send. */
export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** By default each has a connection of its own: one that is kept may be closed when it is used again. */
  readonly agent?: Agent
}

/** Sends a request, which takes a fraction of the time that `fetch` takes. Dies if it is not answered. */
export const send = (url: string, { agent, body = "", ...sent }: Sent) =>
  Effect.promise(
    (signal) =>
      new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>(
        (resolve, reject) => {
          request(url, { agent: agent ?? false, signal, ...sent })
            .once("error", reject)
            .once("response", (response) => {
              const { headers, statusCode: status = 0 } = response
              text(response).then((text) => resolve({ status, headers, text }), reject)
            })
            .end(body)
        }
      )
  )

const agent = new Agent({ keepAlive: true })

/** Sends a request, with a body if there is one. */
export const call = (url: string, key: string, body?: unknown): Effect.Effect<Answer> =>
  Effect.suspend(() => {
    const start = performance.now()
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    return Effect.map(send(url, { agent, headers, ...more }), ({ headers, status, text }) => ({
      status,
      retryAfter: headers["retry-after"],
      link: String(headers["link"] ?? ""),
      location: headers["location"],
      body: JSON.parse(text),
      millis: performance.now() - start
    }))
  })

/** Tries to add a pet with this name. */
export const add = (url: string, key: string, name: string): Effect.Effect<Answer> =>
  call(`${url}/v1/pets`, key, { name, categoryId: 1 })

/** The pet of an answer with 201. */
export const added = (answer: Answer): Pet => decodePet(bodyOf(answer, 201))

/** The path of the first page. */
export const firstPage = "/v1/pets?limit=100"

/** The pets of an answer with 200, and the path of the next page if there is one. */
export const page = (answer: Answer) => ({
  pets: decodePets(bodyOf(answer, 200)),
  next: /^<([^>]+)>; rel="next"$/.exec(answer.link)?.[1]
})

/** Every pet, by id. */
export const all = (
  url: string,
  key: string,
  path = firstPage
): Effect.Effect<ReadonlyArray<Pet>> =>
  Effect.flatMap(call(url + path, key), (answer) => {
    const { next, pets } = page(answer)
    if (next === undefined) return Effect.succeed(pets)
    return Effect.map(all(url, key, next), (others) => [...pets, ...others])
  })

const bodyOf = ({ body, status }: Answer, expected: number): unknown => {
  if (status !== expected) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
