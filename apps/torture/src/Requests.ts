/** Requests that are made from the OpenAPI document: valid, nearly valid and invalid. */
import type { Contract, Operation, Parameter, Schema } from "./Contract.ts"
import type { Random } from "./Random.ts"
import { key } from "./Service.ts"

/** A request, and what may be answered. */
export interface Asked {
  readonly method: string
  /** The operation that it asks for, if there is one. */
  readonly operation: Operation | undefined
  readonly bytes: Buffer
  /** The statuses that are right; any that is documented if there are none. */
  readonly expected: ReadonlyArray<number>
}

/** What callers have got, to be sent again. */
export interface Seen {
  readonly cursors: Array<string>
  readonly tags: Array<string>
  readonly keys: Array<string>
}

const fault = 0.12

/** Makes requests for the operations of this document. By its id, if it has one, the answer to a request is known. */
export const make = (
  { operations, resolve }: Contract,
  random: Random,
  seen: Seen = { cursors: [], tags: [], keys: [] }
) => {
  const { below, next, pick } = random
  const is = (share: number) => next() < share
  const recent = (list: ReadonlyArray<string>) => list[below(list.length)]

  const word = (length: number) =>
    String.fromCodePoint(
      ...Array.from({ length }, () => {
        const code = 1 + below(is(0.7) ? 0x7e : 0x10f7ff)
        return code < 0xd800 ? code : code + 0x800
      })
    )
  const integer = ({ maximum, minimum }: Schema): string =>
    minimum !== undefined && maximum !== undefined
      ? String(pick([minimum, maximum, minimum + below(maximum - minimum)]))
      : pick([
          "0",
          "-0",
          "1",
          "-1",
          "1.0",
          "1e2",
          "9007199254740993",
          maxInt64,
          `-${maxInt64}`,
          String(below(9999))
        ])

  /** A JSON text that fits a schema. */
  const valid = (reference: Schema): string => {
    const schema = resolve(reference)
    if (schema.enum !== undefined) return JSON.stringify(schema.enum[below(schema.enum.length)])
    if (schema.type === "integer") return integer(schema)
    if (schema.type !== "object") {
      const { maxLength = 9999 } = schema
      return JSON.stringify(
        word(is(0.01) ? pick([maxLength, 1 + below(maxLength)]) : 1 + below(30))
      )
    }
    const names = Object.keys(schema.properties ?? {}).filter(
      (name) => (schema.required?.includes(name) ?? false) || is(0.5)
    )
    const fields = names.map(
      (name) => `${JSON.stringify(name)}:${valid(schema.properties?.[name] ?? {})}`
    )
    if (is(0.1)) fields.push(`"id":${pick(["1", "null", '"x"'])}`)
    if (is(0.1))
      fields.push(`${JSON.stringify(word(5))}:${pick(["{}", "[1,[2]]", "1e999", '"\\u0000"'])}`)
    const space = is(0.1) ? pick([" ", "\n", "\t\r\n"]) : ""
    return `{${space}${fields.join(`,${space}`)}}`
  }
  /** A JSON text that does not fit a schema, but nearly. */
  const nearly = (reference: Schema): string => {
    const schema = resolve(reference)
    if (schema.enum !== undefined) return pick(['"Sold"', '""', "null", "0", '["sold"]', '" sold"'])
    if (schema.type === "integer")
      return pick(["9223372036854775808", "1.5", '"1"', "null", "true", "[1]", "1e400", "{}"])
    if (schema.type !== "object") {
      const { maxLength } = schema
      const tooLong = maxLength === undefined ? [] : [JSON.stringify(word(maxLength + 1))]
      return pick(['""', "null", "1", "[]", '"\\u0000"', '"\\ud800"', '"x\\udc00x"', ...tooLong])
    }
    const names = Object.keys(schema.properties ?? {})
    const [required = ""] = schema.required ?? []
    const broken = is(0.3) ? undefined : names[below(names.length)]
    const fields = names
      .filter((name) => broken !== undefined || name !== required)
      .map(
        (name) => `"${name}":${(name === broken ? nearly : valid)(schema.properties?.[name] ?? {})}`
      )
    return is(0.1) ? pick(["[]", "null", "1", '"x"', "[{}]"]) : `{${fields.join(",")}}`
  }
  const notJson = (): Buffer => {
    const text = valid(operations.find(({ body }) => body !== undefined)?.body ?? {})
    return pick([
      Buffer.alloc(0),
      Buffer.from(text.slice(0, -1 - below(text.length - 1))),
      Buffer.from(`${text},`),
      Buffer.from("[".repeat(20_000)),
      Buffer.from(`{"name":"\xff","categoryId":1}`, "latin1"),
      Buffer.from(`\ufeff ${text}x`)
    ])
  }

  return (id?: string): Asked => {
    const operation = pick(operations)
    /** The statuses of what is wrong with it. */
    let faults: Array<number> = []
    /** Any documented status is right: what it asks for is neither clearly valid nor invalid. */
    let isOpen = false
    const headers: Array<string> = id === undefined ? [] : [`X-Request-Id: ${id}`]
    const query: Array<string> = []
    let path = operation.path
    let body: Buffer | undefined

    const chosen = (parameter: Parameter): string => {
      const { name, schema } = parameter
      if (parameter.in === "path") return is(0.7) ? String(1 + below(200)) : pick(oddIds)
      if (name === "cursor") return cursor(schema)
      if (name === "If-None-Match")
        return is(0.5) ? (recent(seen.tags) ?? "*") : pick(["*", '"x"', 'W/"a", "b"', "junk", ","])
      if (name === "Idempotency-Key") return idempotencyKey()
      if (!is(fault)) return valid(schema).replaceAll('"', "")
      faults.push(400)
      return pick(["0", "101", "1e1", "+5", "05", "", "1.5", "SOLD", "%00", "%", "%ff", "20,30"])
    }
    const cursor = ({ examples = [] }: Schema) => {
      const one = recent(seen.cursors) ?? String(examples[0])
      if (is(0.7)) return one
      isOpen = true
      return is(0.5) ? one.slice(0, -1) : one.replace(/./, pick(["x", "0", "%00", "-"]))
    }
    const idempotencyKey = () => {
      if (is(fault)) {
        faults.push(400)
        return pick(["a b", "x".repeat(256), '"open', "\xe9", '""'])
      }
      const old = is(0.3) ? recent(seen.keys) : undefined
      if (old !== undefined) isOpen = true
      const quote = pick(["", '"'])
      const one = old ?? `${quote}${below(2 ** 31)}-${below(2 ** 31)}${quote}`
      if (old === undefined) seen.keys.push(one)
      return one
    }

    for (const parameter of operation.parameters) {
      if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, chosen(parameter))
      else if (is(0.4)) {
        if (parameter.in === "header") headers.push(`${parameter.name}: ${chosen(parameter)}`)
        else query.push(`${parameter.name}=${chosen(parameter)}`)
      }
    }
    if (query[0] !== undefined && is(0.03)) {
      query.push(query[0])
      faults.push(400)
    }
    if (is(0.1)) query.push(pick(["x=1", "x", "=", "%", "&", "limits=0"]))

    if (operation.body !== undefined) {
      const kind = next()
      if (kind < fault) body = notJson()
      else if (kind < 3 * fault) body = Buffer.from(nearly(operation.body))
      else body = Buffer.from(valid(operation.body))
      if (kind < 3 * fault) faults.push(400)
      if (is(0.005)) {
        body = Buffer.from(`{"name":"${"x".repeat(66_000)}","categoryId":1}`)
        faults.push(413)
      }
      const isOfType = !is(fault / 2)
      const parameter = pick(["", "; charset=utf-8", ";charset=UTF-8"])
      const type = isOfType
        ? `application/json${parameter}`
        : pick(["text/plain", "application/xml", "json", "", undefined])
      if (type !== undefined) headers.push(`Content-Type: ${type}`)
      if (!isOfType) faults.push(415)
      if (is(0.02)) {
        headers.push("Content-Encoding: gzip")
        faults.push(415)
      }
    }

    let method = operation.method
    let known: Operation | undefined = operation
    if (method === "GET" && is(0.1)) method = "HEAD"
    const isOther = is(0.03)
    if (isOther) {
      method = pick(["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
      if (method === "OPTIONS") isOpen = true
      else faults = [405]
    }
    if (is(0.03)) {
      path = pick([
        `${path}/`,
        path.replace("/v1", "/V1"),
        path.replace("/", "//"),
        path.replace("p", "%70"),
        "/v1",
        "/v2/pets",
        `${path}/x/y`,
        "/v1/orders"
      ])
      known = undefined
      faults = [404]
      isOpen = isOpen || isOther
    }
    if (is(fault / 2)) {
      const wrong = ["Basic x", "Bearer", "Bearer wrong-key-0123456789"] as const
      const scheme = pick([undefined, ...wrong, `Bearer ${key} x`, `Basic ${key}`])
      if (scheme !== undefined) headers.push(`Authorization: ${scheme}`)
      // Everything below the prefix asks for the key first; outside of it nothing is there.
      if (path.startsWith("/v1/")) faults = [401]
      else isOpen = true
    } else headers.push(`Authorization: ${pick(["Bearer", "bearer", "BEARER  "])} ${key}`)
    if (is(0.02)) headers.push(`Connection: ${pick(["close", "keep-alive"])}`)
    // A request whose head is not read whole is refused with content, whatever its method.
    if (method !== "HEAD" && is(0.002)) {
      headers.push(`X-Large: ${"x".repeat(20_000)}`)
      faults = [431]
    }
    const target = query.length === 0 ? path : `${path}?${query.join("&")}`
    const isOfOne = operation.path.includes("{")
    const success = operation.method === "POST" ? [201] : [200, 304, ...(isOfOne ? [404] : [])]
    return {
      method,
      operation: known,
      bytes: render(method, target, headers, body),
      expected: isOpen ? [] : faults.length > 0 ? faults : success
    }
  }

  function render(
    method: string,
    target: string,
    headers: Array<string>,
    body: Buffer | undefined
  ) {
    const isChunked = body !== undefined && is(0.2)
    if (isChunked) headers.push("Transfer-Encoding: chunked")
    else if (body !== undefined) headers.push(`Content-Length: ${body.length}`)
    const head = [`${method} ${target} HTTP/1.1`, "Host: localhost", ...headers, "\r\n"]
    return Buffer.concat([
      Buffer.from(head.join("\r\n"), "latin1"),
      ...(body === undefined ? [] : isChunked ? chunks(body) : [body])
    ])
  }
  function chunks(body: Buffer): ReadonlyArray<Buffer> {
    const parts: Array<Buffer> = []
    for (let at = 0; at < body.length; ) {
      const part = body.subarray(at, at + 1 + below(body.length))
      parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"))
      at += part.length
    }
    return [...parts, Buffer.from("0\r\n\r\n")]
  }
}

const maxInt64 = "9223372036854775807"

const oddIds = [
  "0",
  "-1",
  maxInt64,
  "9223372036854775808",
  "x",
  "01",
  "1.0",
  "%31",
  "1%00",
  "null",
  "1;x",
  "~",
  "9".repeat(300)
] as const
