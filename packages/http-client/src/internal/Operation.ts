/** An operation of any service, and the methods that a table of them makes. */
import type { Idempotency, Method } from "../Options.ts"
import * as Checks from "./Checks.ts"

/** One operation with its inputs. */
export interface Operation<A, Name extends string = string> {
  /** Its `operationId`. */
  readonly name: Name
  /** Relative to the address of the service. */
  readonly path: string
  /** GET if there is none. */
  readonly method?: Method
  readonly body?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Reads a successful answer; throws if it is not one of this operation. */
  readonly decode: (body: unknown, link: string) => A
}

/** The headers of a body that takes effect once, no matter how many times it is sent. */
export const headersOnce = ({ idempotencyKey }: Idempotency) => {
  const visible = /^[!#-[\]-~]{1,255}$/
  const isKey = Checks.matching(visible, '1 to 255 visible ASCII characters without " and \\')
  // Not `randomUUID`, which browsers have on secure pages only.
  const random = () => crypto.getRandomValues(new Uint32Array(4)).join("-")
  const key = isKey("idempotencyKey", idempotencyKey ?? random())
  return { "content-type": "application/json", "idempotency-key": `"${key}"` }
}

/** Where the next page starts. Only its cursor: the service may not know the address that it is reached by. */
export const nextOf = (link: string): string | undefined => {
  const [, target] = /<([^<>]*)>; *rel="?next/.exec(link) ?? []
  const cursor = target && new URLSearchParams(target.split("?")[1]).get("cursor")
  return Checks.optional(Checks.matching(/./, "a cursor"))("the next page", cursor)
}

/** Makes an operation of its input and its own options. */
type Make<Name extends string> = (input: never, options: never) => Operation<unknown, Name>

/** Operations by resource. */
type Table<Name extends string> = Readonly<Record<string, Readonly<Record<string, Make<Name>>>>>

/** A method for each operation of a table, which calls what its input and options make. */
export const methodsOf = <Methods, Name extends string>(
  table: Table<Name>,
  call: (makeOperation: () => Operation<unknown, Name>, options?: object) => unknown
): Methods => {
  const methods: Record<string, Record<string, unknown>> = {}
  for (const [resource, all] of Object.entries(table)) {
    methods[resource] = {}
    for (const [name, make] of Object.entries(all))
      methods[resource][name] = (input: never, options: object = {}) =>
        call(() => make(input, options as never), options)
  }
  // Its methods have the types of the operations that they call.
  return methods as Methods
}
