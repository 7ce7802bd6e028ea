/** The works that every server is asked to do. */

/** One request. `{id}` in the path stands for the id of any animal, another each time. */
export interface Call {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body: string
}

export interface Work {
  readonly id: string
  readonly title: string
  /** How many of how many: nine times one and once another makes 90 % and 10 %. */
  readonly mix: ReadonlyArray<{ readonly times: number; readonly call: Call }>
  /** Whether the floor's constant body is an answer to it. */
  readonly floor: boolean
}

const get = (path: string): Call => ({ method: "GET", path, body: "" })
const list20 = get("/v1/pets?limit=20")
const create: Call = {
  method: "POST",
  path: "/v1/pets",
  body: JSON.stringify({ name: "Bella", categoryId: 7, status: "available" })
}

/** Works that add animals come last, so that the others find the animals that were seeded. */
export const works: ReadonlyArray<Work> = [
  { id: "list20", title: "list 20", mix: [{ times: 1, call: list20 }], floor: true },
  {
    id: "status",
    title: "list 20 by status",
    mix: [{ times: 1, call: get("/v1/pets?limit=20&status=available") }],
    floor: true
  },
  {
    id: "list100",
    title: "list 100",
    mix: [{ times: 1, call: get("/v1/pets?limit=100") }],
    floor: false
  },
  { id: "get", title: "get", mix: [{ times: 1, call: get("/v1/pets/{id}") }], floor: false },
  { id: "create", title: "create", mix: [{ times: 1, call: create }], floor: false },
  {
    id: "mixed",
    title: "90 % list 20, 10 % create",
    mix: [
      { times: 9, call: list20 },
      { times: 1, call: create }
    ],
    floor: false
  }
]

/** A work that only asks for this path, over and over. */
export const reading = (title: string, path: string): Work => ({
  id: title,
  title,
  mix: [{ times: 1, call: get(path) }],
  floor: false
})
