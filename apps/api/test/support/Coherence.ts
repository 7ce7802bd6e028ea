/** Writers and readers that use several servers of one database at the same time. */
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { key } from "./Observed.ts"

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Pet {
  readonly id: number
  readonly name: string
}

/** How much is written and read. */
export interface Load {
  readonly writers: number
  readonly readers: number
  readonly writes: number
}

/** What was seen that no sequence of adds and reads on one server would show. */
export interface Seen {
  readonly problems: ReadonlyArray<string>
  /** How often each status came as the answer to an add. */
  readonly adds: Readonly<Record<number, number>>
  /** How often each reader found all pets. */
  readonly pages: number
  /** The longest time that an add took, in milliseconds. */
  readonly slowestAdd: number
}

/** A caller with one connection, which it keeps. */
const caller = (base: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = (target: string, body?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(new URL(target, base), {
        agent,
        method: body === undefined ? "GET" : "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
      })
      outgoing.once("error", reject)
      outgoing.once("response", (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part) => {
          text += part
        })
        response.once("error", reject)
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
        )
      })
      outgoing.end(body)
    })
  return { call, close: () => agent.destroy() }
}

/**
 * Adds pets from many connections while readers walk through the list by its `next` links. Every add is read
 * back through another connection. Each connection goes to one of the URLs, in turn.
 */
export const observe = async (urls: ReadonlyArray<string>, load: Load): Promise<Seen> => {
  const problems: Array<string> = []
  const adds: Record<number, number> = {}
  const added = new Map<number, string>()
  let connections = 0
  let started = 0
  let isWriting = true
  let pages = 0
  let slowestAdd = 0
  const open = () => caller(urls[connections++ % urls.length] ?? "")
  const complain = (problem: string) => void problems.push(problem)

  const checkers = Array.from({ length: load.readers }, open)
  const write = async () => {
    const { call, close } = open()
    while (started < load.writes) {
      const name = `pet ${started++}`
      const began = performance.now()
      const { body, status } = await call("/v1/pets", JSON.stringify({ name, categoryId: 1 }))
      slowestAdd = Math.max(slowestAdd, performance.now() - began)
      adds[status] = (adds[status] ?? 0) + 1
      if (status !== 201) continue
      const pet: Pet = JSON.parse(body)
      if (added.has(pet.id)) complain(`${pet.id} was given twice`)
      added.set(pet.id, name)
      const back = await checkers[started % checkers.length]?.call(`/v1/pets/${pet.id}`)
      if (back?.status !== 200) complain(`${pet.id} was added, but then answered ${back?.status}`)
      else if (JSON.parse(back.body).name !== name) complain(`${pet.id} has another name`)
    }
    close()
  }

  const read = async () => {
    const { call, close } = open()
    const seen: Array<Pet> = []
    let target = "/v1/pets?limit=100"
    let page: ReadonlyArray<Pet> = []
    while (true) {
      const isLastLook = !isWriting
      const { body, headers, status } = await call(target)
      if (status !== 200) {
        complain(`a list answered ${status}`)
        break
      }
      pages++
      const pets: ReadonlyArray<Pet> = JSON.parse(body)
      // What was on the page stays there; more only comes at its end.
      if (page.some(({ id }, index) => pets[index]?.id !== id)) complain(`${target} has changed`)
      seen.push(...pets.slice(page.length))
      const [, next] = /<([^>]+)>; rel="next"/.exec(String(headers["link"])) ?? []
      page = next === undefined ? pets : []
      if (next === undefined && isLastLook) break
      target = next ?? target
    }
    close()
    return seen
  }

  const readers = Promise.all(Array.from({ length: load.readers }, read))
  await Promise.all(Array.from({ length: load.writers }, write))
  isWriting = false
  for (const seen of await readers) {
    const ids = seen.map(({ id }) => id)
    if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0))) complain("not in order")
    const names = new Map(seen.map(({ id, name }) => [id, name]))
    if (names.size !== seen.length) complain("a reader found a pet twice")
    for (const [id, name] of added) {
      if (names.get(id) !== name) complain(`a reader found ${names.get(id)} as ${id}, not ${name}`)
    }
    for (const id of ids) if (!added.has(id)) complain(`a reader found ${id}, which nobody added`)
  }
  for (const { close } of checkers) close()
  return { problems, adds, pages, slowestAdd }
}
