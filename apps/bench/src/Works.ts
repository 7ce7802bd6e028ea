/** The works that every server is asked to do. */
/** One request. `{id}` in the path is the id of any animal, `{limit}` a limit of a page; another each time. */
export interface Call {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body: string
  /** Whether each request has a connection of its own. */
  readonly closes?: boolean
}

export interface Work {
  readonly id: string
  readonly title: string
  /** How many of how many: nine times one and once another makes 90 % and 10 %. */
  readonly mix: ReadonlyArray<{ readonly times: number; readonly call: Call }>
  /** Who takes part, next to the service; if absent, every peer that takes part in all works, or in this one. */
  readonly peers?: ReadonlyArray<string>
  /** Whether every server handles creates first: a process may read more slowly once it has written. */
  readonly afterWrites?: boolean
}

const get = (path: string): Call => ({ method: "GET", path, body: "" })
const list20 = get("/v1/pets?limit=20")
const add: Call = {
  method: "POST",
  path: "/v1/pets",
  body: JSON.stringify({ name: "Bella", categoryId: 7, status: "available" })
}

const reads = [
  { id: "list20", title: "list 20", call: list20 },
  {
    id: "status",
    title: "list 20 by status",
    call: get("/v1/pets?limit=20&status=available")
  },
  { id: "list100", title: "list 100", call: get("/v1/pets?limit=100") },
  { id: "get", title: "get, random id", call: get("/v1/pets/{id}") }
]

/** Adds an animal. */
export const create: Work = { id: "create", title: "create", mix: [{ times: 1, call: add }] }

/** Reads of processes that have not written yet: for comparison only. */
export const isFirst = ({ id }: Work): boolean => id.endsWith("-first")

/** The reads come twice: of processes that have not written yet, and of processes that have. */
export const works: ReadonlyArray<Work> = [
  ...reads.map(({ call, id, title }) => ({
    id: `${id}-first`,
    title: `${title}, before any write`,
    mix: [{ times: 1, call }],
    peers: ["fastify", "elysia"]
  })),
  create,
  {
    id: "mixed",
    title: "90 % list 20, 10 % create",
    mix: [
      { times: 9, call: list20 },
      { times: 1, call: add }
    ]
  },
  ...reads.map(({ call, id, title }) => ({
    id,
    title,
    mix: [{ times: 1, call }],
    afterWrites: true
  })),
  {
    id: "churn",
    title: "list 20, a connection each",
    mix: [{ times: 1, call: { ...list20, closes: true } }],
    // wrk counts each answer of Bun that ends a connection as an error.
    peers: ["fastify"]
  }
]

/** A work that only asks for this path, over and over. */
export const reading = (title: string, path: string): Work => ({
  id: title,
  title,
  mix: [{ times: 1, call: get(path) }]
})
