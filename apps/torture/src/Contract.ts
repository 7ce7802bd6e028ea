/** The OpenAPI document that the service serves, and whether answers fit it. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Http from "./Http.ts"
import type { Answer } from "./Wire.ts"

/** A JSON schema, as far as values are made from it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly examples?: ReadonlyArray<unknown>
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: Schema
}

interface Documented {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

/** An operation of the document. */
export interface Operation {
  readonly path: string
  readonly method: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: Schema | undefined
  readonly responses: Readonly<Record<string, Documented>>
}

/** The document. */
export interface Contract {
  readonly operations: readonly [Operation, ...ReadonlyArray<Operation>]
  /** A schema without a reference. */
  readonly resolve: (schema: Schema) => Schema
  /** What is wrong with an answer to a request for this operation, or for something that is not documented. */
  readonly problem: (
    answer: Answer,
    method: string,
    operation: Operation | undefined
  ) => string | undefined
}

/** Reads the document from a service. */
export const make = (port: number): Effect.Effect<Contract> =>
  Effect.promise(async () => {
    const { body } = await Http.send(port, { method: "GET", path: "/openapi.json" })
    // Answers have exactly the documented properties.
    const document = JSON.parse(body.toString(), (_, value) =>
      value?.type === "object" ? { ...value, additionalProperties: false } : value
    )
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const operations: Array<Operation> = []
    for (const [path, methods] of Object.entries<Record<string, RawOperation>>(document.paths)) {
      for (const [method, raw] of Object.entries(methods)) {
        const { parameters = [], requestBody, responses } = raw
        const body = requestBody?.content["application/json"]?.schema
        const name = { path: `/v1${path}`, method: method.toUpperCase() }
        operations.push({ ...name, parameters, body, responses })
      }
    }
    const [first, ...others] = operations
    if (first === undefined) throw new Error("the document has no operations")
    const { schemas } = document.components
    const error: Documented = { content: { "application/json": { schema: schemas.Error } } }

    const validators = new Map<Schema, ValidateFunction>()
    const isValid = (schema: Schema, value: unknown) => {
      const validate = validators.get(schema) ?? ajv.compile({ components: { schemas }, ...schema })
      validators.set(schema, validate)
      return validate(value) === true
    }
    const problemOf = (
      { body, headers, status }: Answer,
      method: string,
      { content, headers: named = {} }: Documented
    ) => {
      for (const [name, { required }] of Object.entries(named)) {
        if (required === true && !headers.has(name.toLowerCase())) return `lacks ${name}`
      }
      if (content === undefined) return body.length === 0 ? undefined : "has a body"
      const type = headers.get("content-type") ?? "nothing"
      const schema = content[type]?.schema
      if (schema === undefined) return `is ${type}`
      if (method === "HEAD") return undefined
      const value = parsed(body)
      return isValid(schema, value) && (status < 400 || value?.status === status)
        ? undefined
        : `has the body ${body}`
    }
    return {
      operations: [first, ...others],
      resolve: ({ $ref, ...schema }) =>
        $ref === undefined ? schema : { ...schemas[$ref.split("/").at(-1) ?? ""], ...schema },
      problem: (answer, method, operation) => {
        const { status } = answer
        if (status >= 500) return `is ${status}: ${answer.body}`
        // OPTIONS, and paths that are not documented.
        const documented =
          operation?.responses[status] ??
          (operation === undefined && status >= 400 ? error : undefined)
        if (method === "OPTIONS" && status === 204)
          return answer.headers.has("allow") ? undefined : "lacks Allow"
        return documented === undefined
          ? `is ${status}, which is not documented`
          : problemOf(answer, method, documented)
      }
    }
  })

interface RawOperation {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Documented>>
}

const parsed = (body: Buffer) => {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
