/** What would start and never work: a contract with it does not start. */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { Route } from "../exchange/Routes.ts"

/** Where an API is, and where callers see it. */
export interface Place {
  readonly prefix: string
  readonly basePath: string
}

/** Checks that the base path is a path that ends with the prefix. */
export const checkPlace = ({ basePath, prefix }: Place): void => {
  if (!basePath.startsWith("/") || !basePath.endsWith(prefix))
    throw new Error(
      `the base path ${basePath} must start with / and end with the prefix, ${prefix}`
    )
}

/** Checks that a caller can have this scope: those of a token are separated by spaces. */
export const checkScope = (scope: string): void => {
  if (!/^[!#-[\]-~]+$/.test(scope)) throw new Error(`its scope "${scope}" must be one word`)
}

/** Checks that each route is reached: of two with one method, the second would never be. */
export const checkRoutes = <Caller>(routes: ReadonlyArray<Route<Caller>>): void => {
  const known = new Map<string, string>()
  for (const { method, path } of routes) {
    const shape = path.replaceAll(/:\w+/g, ":")
    const first = known.get(shape) ?? path
    if (first !== path) throw new Error(`${path} and ${first} are the same path: name it alike`)
    if (known.has(`${method} ${shape}`)) throw new Error(`two endpoints answer ${method} ${path}`)
    known.set(shape, path).set(`${method} ${shape}`, path)
  }
}

/** What is declared about the parameters of an endpoint. */
export interface Declared {
  readonly path: string
  readonly pathSchema: Option.Option<Schema.Schema.All>
  readonly urlParamsSchema: Option.Option<Schema.Schema.All>
  readonly headersSchema: Option.Option<Schema.Schema.All>
}

/** Checks that the parameters of an endpoint can be decoded from text, and that those of its path are its path's. */
export const checkParameters = ({
  headersSchema,
  path,
  pathSchema,
  urlParamsSchema
}: Declared): void => {
  const [inPath, inHeaders] = [pathSchema, headersSchema].map((schema) =>
    parametersOf(schema).map(({ name }) => String(name))
  )
  const names = path.match(/(?<=:)\w+/g) ?? []
  if (names.toSorted().join() !== inPath?.toSorted().join())
    throw new Error(`its path has [${names}], and setPath declares [${inPath}]`)
  for (const name of inHeaders ?? [])
    if (name !== name.toLowerCase()) throw new Error(`declare the header ${name} in lower case`)
  for (const schema of [pathSchema, urlParamsSchema, headersSchema])
    for (const { name, type } of parametersOf(schema))
      if (!isOfText(type))
        throw new Error(
          `${String(name)} arrives as text: decode it, such as by NumberFromString or Int64Text`
        )
}

const parametersOf = (schema: Option.Option<Schema.Schema.All>) =>
  Option.match(schema, {
    onNone: () => [],
    onSome: ({ ast }) => AST.getPropertySignatures(AST.encodedAST(ast))
  })

/** What JSON has and a parameter never is. */
const neverText = new Set<AST.AST["_tag"]>([
  ...(["NumberKeyword", "BigIntKeyword", "BooleanKeyword", "UndefinedKeyword"] as const),
  ...(["TypeLiteral", "ObjectKeyword"] as const)
])

/** Whether a text, or a list of texts, may be of this type. */
const isOfText = (type: AST.AST): boolean => {
  switch (type._tag) {
    case "Union":
      return type.types.some(isOfText)
    case "TupleType":
      return [...type.elements, ...type.rest].every((part) => isOfText(part.type))
    case "Literal":
      return typeof type.literal === "string"
    default:
      return !neverText.has(type._tag)
  }
}
