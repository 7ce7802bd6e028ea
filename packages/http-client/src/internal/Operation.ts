/** The operations of any service, as a table. Both forms of the client are made of one. */
import { InvalidInput } from "../Errors.ts"
import type { Idempotency, Method } from "../Options.ts"
import * as Checks from "./Checks.ts"

/** One operation with its inputs. */
export interface Operation<A, Code extends string = string> {
  /** Its `operationId`, as hooks and spans name it. */
  readonly name: string
  /** Relative to the address of the service, from its prefix on. */
  readonly path: string
  /** GET if there is none. A POST or PATCH without an idempotency key is not tried again. */
  readonly method?: Method
  /** Sent as JSON with exact integers. */
  readonly body?: unknown
  /** Lets the service recognise a repetition: the operation takes effect once. */
  readonly idempotencyKey?: string
  /** The codes of the errors that not every operation has; any other is an `UnknownError`. */
  readonly errors?: ReadonlyArray<Code>
  /**
   * Reads a successful answer, of parsed JSON; throws if it is not one of this operation. An answer without a body,
   * as of status 204, is an empty text.
   */
  readonly decode: (body: unknown, headers: Headers) => A
}

/** Makes an operation of its input and its own options. */
export type Make<Code extends string> = (input: never, options: never) => Operation<unknown, Code>

/** A page of a list, and where the next one starts. */
export interface AnyPage {
  readonly next?: string | undefined
}

/** A list of several pages. */
export interface List<Code extends string = string> {
  /** The page that a query asks for, whose `after` is the `next` of the page before. */
  readonly page: (query: never) => Operation<AnyPage, Code>
  /** The field of a page that has its items. */
  readonly items: string
}

/** The items of a page, which are in this field. */
export type ItemOf<Page, Field> = Field extends keyof Page
  ? Page[Field] extends ReadonlyArray<infer Item>
    ? Item
    : never
  : never

/** Operations by resource and method. */
export type Table<Code extends string = string> = Readonly<
  Record<string, Readonly<Record<string, Make<Code> | List<Code>>>>
>

/** A service that a client calls. */
export interface Service<Operations extends Table> {
  /** What messages call it, such as "a library". */
  readonly name: string
  /** With what all paths begin, such as `/v1`; the address may have it, too. */
  readonly prefix: string
  readonly operations: Operations
}

/**
 * The service as it is given: its type says which errors its operations have. Whatever their functions throw, such as
 * an error of a schema, is the cause of an `InvalidInput`.
 */
export const defineService = <Code extends string, const Operations extends Table<Code>>(
  service: Service<Operations>
): Service<Operations> => mapOperations<Operations>(service, orInvalidInput)

const orInvalidInput = <A>(make: () => A): A => {
  try {
    return make()
  } catch (cause) {
    throw cause instanceof InvalidInput
      ? cause
      : new InvalidInput(Checks.reasonOf(cause), { cause })
  }
}

/** The same service, whose operations are what `change` returns for the functions that make them. */
export const mapOperations = <Changed extends Table>(
  service: Service<Table>,
  change: (make: () => Operation<unknown>) => Operation<unknown>
): Service<Changed> => {
  const entryOf = (entry: Table[string][string]) =>
    typeof entry === "function"
      ? (...given: Parameters<typeof entry>) => change(() => entry(...given))
      : { ...entry, page: (...query: [never]) => change(() => entry.page(...query)) }
  const resources = Object.entries(service.operations).map(([resource, entries]) => [
    resource,
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, entryOf(entry)]))
  ])
  // The caller knows the types of the results.
  return { ...service, operations: Object.fromEntries(resources) as Changed }
}

/** The given idempotency key, or a random one. */
export const idempotencyKeyOf = ({ idempotencyKey }: Idempotency): string =>
  Checks.matching(/^[!#-[\]-~]{1,255}$/, '1 to 255 visible ASCII characters without " and \\')(
    "idempotencyKey",
    // Not `randomUUID`, which browsers have on secure pages only.
    idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join("-")
  )

/** The parameters of a list; `after` is what services call the cursor. */
export const searchOf = (query: Readonly<Record<string, unknown>>): URLSearchParams => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name === "after" ? "cursor" : name, `${value}`)
  return search
}

/** Where a page starts, unless it is the first. */
export const cursor = Checks.optional(Checks.matching(/./, "a cursor"))

/** Where the next page starts. Only its cursor: the service may not know the address that it is reached by. */
export const nextOf = (headers: Headers): string | undefined => {
  const [, target] = /<([^<>]*)>; *rel="?next/.exec(headers.get("link") ?? "") ?? []
  return cursor("the next page", target && new URLSearchParams(target.split("?")[1]).get("cursor"))
}

/** What every query of a list has. */
export interface AnyQuery {
  readonly after?: string | undefined
}

/** Where the pages of a walk start that were asked for. */
export type Seen = Set<string | undefined>

/** A page that knows how to ask for the next one. */
export type Following<Next> = AnyPage & { readonly nextPage: (seen?: Seen) => Next | undefined }

/** The page that a query asks for, from which `ask` asks for the next one. */
export const pageOf = <Next>(
  list: List,
  query: AnyQuery,
  ask: (query: AnyQuery, seen?: Seen) => Next,
  seen: Seen = new Set()
): Operation<Following<Next>> => {
  const operation = list.page(query as never)
  if (query.after) seen.add(query.after)
  return {
    ...operation,
    decode: (...answer) => {
      const page = operation.decode(...answer)
      const { next } = page
      // Otherwise a walk over all pages would never end.
      if (seen.has(next)) Checks.refuse("the next page", "not be an earlier one")
      const nextPage = (seen?: Seen) => (next ? ask({ ...query, after: next }, seen) : undefined)
      // Not enumerable: pages are compared, copied and sent as what they contain.
      return Object.defineProperty(page, "nextPage", { value: nextPage }) as Following<Next>
    }
  }
}

/** A method for each operation and for each list of a table. */
export const methodsOf = <Methods>(
  table: Table,
  call: (makeOperation: () => Operation<unknown>, options: object) => unknown,
  walk: (list: List) => unknown
): Methods => {
  const methods: Record<string, Record<string, unknown>> = {}
  for (const [resource, all] of Object.entries(table)) {
    methods[resource] = {}
    for (const [name, make] of Object.entries(all))
      methods[resource][name] =
        typeof make === "function"
          ? (input: never, options: object = {}) =>
              call(() => make(input, options as never), options)
          : walk(make)
  }
  // Its methods have the types of the operations that they call.
  return methods as Methods
}
