/** What holds for every response: the rules of the wire, and the OpenAPI document. */
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Operation } from "./Request.ts"
import { headerOf, headersOf, type Response } from "./Response.ts"

/** The status of each error code that any API has, as its users read it. */
export const statuses = {
  malformed_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503
} as const

/** The responses of an operation, and which headers each must have. */
type Responses = Readonly<
  Record<string, { readonly headers: Readonly<Record<string, { readonly required: boolean }>> }>
>

/** The OpenAPI document, as far as responses are checked by it. */
interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Responses }>>>
  >
}

/** The document with schemas that allow no other properties: responses have exactly the documented ones. */
const withoutOthers = (document: unknown) =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === "object" ? { ...value, additionalProperties: false } : value
  )

interface Documented {
  readonly path: string
  readonly method: string
  readonly responses: Responses
}

const general = (response: Response): Array<string> => {
  const problems: Array<string> = []
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(headerOf(response, "X-Request-Id") ?? "")) {
    problems.push("it needs one X-Request-Id")
  }
  if (headerOf(response, "X-Content-Type-Options") !== "nosniff")
    problems.push("it must be nosniff")
  for (const name of ["Server", "X-Powered-By"]) {
    if (headersOf(response, name).length > 0) problems.push(`it must not have ${name}`)
  }
  return problems
}

/** The checks by a document under /v1, whose errors have these statuses. */
export const make = (published: unknown, statuses: Readonly<Record<string, number>>) => {
  const { paths }: Document = JSON.parse(JSON.stringify(published))
  const codes = new Map(Object.entries(statuses))
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictSchema: false })
  addFormats.default(ajv)
  ajv.addSchema(withoutOthers(published), "api")

  /** Fails when a response is not one that every caller may expect, or not one to its operation. */
  const check = (response: Response, operation?: Operation): void => {
    const problems = [
      ...general(response),
      ...(response.status < 400 ? [] : error(response, operation))
    ]
    const documented = operation === undefined ? undefined : find(operation)
    if (documented !== undefined) problems.push(...promised(response, operation, documented))
    if (problems.length === 0) return
    const report = [...problems, JSON.stringify(operation), JSON.stringify(response)]
    throw new Error(`a response breaks a rule:\n${report.join("\n").slice(0, 4000)}`)
  }

  /** The methods that the document has for a path, as `Allow` lists them. */
  const allowOf = (path: string): string => {
    const documented = Object.keys(paths[path] ?? {}).map((method) => method.toUpperCase())
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) =>
      documented.includes(one)
    )
    return [...methods.flatMap((one) => (one === "GET" ? [one, "HEAD"] : one)), "OPTIONS"].join(
      ", "
    )
  }

  const error = (response: Response, operation: Operation | undefined): Array<string> => {
    const problems: Array<string> = []
    if (headerOf(response, "Cache-Control") !== "no-store") problems.push("an error is not stored")
    if (headerOf(response, "Content-Type") !== "application/json") problems.push("an error is JSON")
    if (operation?.method === "HEAD") return problems
    problems.push(...validate("#/components/schemas/Error", response.body))
    const [, code = "", message = "", status] =
      /^\{"code":"([a-z_]+)","message":("(?:[^"\\]|\\.)+"),"status":([0-9]{3})\}$/.exec(
        response.body
      ) ?? []
    if (Number(status) !== response.status) problems.push("an error has its status")
    if (codes.get(code) !== response.status) {
      problems.push(`the code ${code} does not belong to ${response.status}`)
    }
    if (message === "" || [...JSON.parse(message)].length > 300)
      problems.push("its message is long")
    return problems
  }

  /** The documented operation that a request asks for; HEAD is GET without the body. */
  const find = (operation: Operation): Documented | undefined => {
    const [target = ""] = operation.target.replace(/^https?:\/\/[^/?]*/i, "").split("?")
    const method = (operation.method === "HEAD" ? "GET" : operation.method).toLowerCase()
    for (const [path, operations] of Object.entries(paths)) {
      const pattern = new RegExp(`^/v1${path.replace(/\{\w+\}/g, "[^/]+")}$`)
      const found = pattern.test(target) ? operations[method] : undefined
      if (found !== undefined) return { path, method, responses: found.responses }
    }
    return undefined
  }

  const promised = (
    response: Response,
    operation: Operation | undefined,
    { method, path, responses }: Documented
  ): Array<string> => {
    const promise = responses[String(response.status)]
    if (promise === undefined) return [`${method} ${path} does not document ${response.status}`]
    const missing = Object.entries(promise.headers)
      .filter(([name, { required }]) => required && headerOf(response, name) === undefined)
      .map(([name]) => `${method} ${path} promises ${name} with ${response.status}`)
    const { body, status } = response
    const hasNoContent = status === 204 || status === 304
    if (hasNoContent && body !== "") return [...missing, `${status} has no content`]
    if (operation?.method === "HEAD" || hasNoContent) return missing
    const pointer = ["paths", path, method, "responses", response.status, "content"]
      .concat("application/json", "schema")
      .map((part) => encodeURIComponent(String(part).replaceAll("/", "~1")))
      .join("/")
    return [...missing, ...validate(`#/${pointer}`, response.body)]
  }

  const validate = (pointer: string, body: string): Array<string> => {
    const validator = ajv.getSchema(`api${pointer}`)
    if (validator === undefined) return [`the document has no ${pointer}`]
    return validator(JSON.parse(body)) ? [] : [`${pointer}: ${ajv.errorsText(validator.errors)}`]
  }

  return { allowOf, check }
}
