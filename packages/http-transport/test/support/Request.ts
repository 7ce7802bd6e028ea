/** A request as the bytes that go over the wire. */

/** A request: what differs from a GET with the key that has all scopes. */
export interface Request {
  readonly method?: string
  readonly target: string
  /** The key to bring; `null` for none. */
  readonly key?: string | null
  /** Further header lines, as they are written: one character is one byte. */
  readonly headers?: ReadonlyArray<string>
  /** The body; its length is sent in the headers. */
  readonly body?: string | Uint8Array
  /** The body's type, JSON by default; `null` for none. */
  readonly type?: string | null
}

/** The keys that a test server knows. */
export const keys = { all: "key-of-all", read: "key.to~read", write: "key+to/write==" }

/** Which operation a response belongs to: the method and the target, as the request wrote them. */
export interface Operation {
  readonly method: string
  readonly target: string
}

/** The operation of a request line, such as `GET /v1/things`. */
export const operation = (line: string): Operation => {
  const [method = "", target = ""] = line.split(" ")
  return { method, target }
}

/** The operation that a request asks for. */
export const operationOf = ({ method = "GET", target }: Request): Operation => ({ method, target })

/** The request line and the headers, without the body. */
export const head = (request: Request): Buffer => {
  const { body, headers = [], key = keys.all, target, type = "application/json" } = request
  const lines = [`${request.method ?? "GET"} ${target} HTTP/1.1`, "Host: localhost"]
  if (key !== null) lines.push(`Authorization: Bearer ${key}`)
  if (body !== undefined) {
    if (type !== null) lines.push(`Content-Type: ${type}`)
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  }
  return Buffer.from(`${[...lines, ...headers].join("\r\n")}\r\n\r\n`, "latin1")
}

/** The whole request. */
export const render = (request: Request): Buffer =>
  Buffer.concat([head(request), Buffer.from(request.body ?? "")])

/** A request with a body. */
export const post = (target: string, body: string | Uint8Array): Request => ({
  method: "POST",
  target,
  body
})

/** A request that adds this thing to the fixture, or whatever the text is. */
export const create = (body: string | Uint8Array): Request => post("/v1/things", body)
