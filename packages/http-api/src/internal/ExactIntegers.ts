/** Where the JSON of a schema has exact integers: what is declared as a `bigint`. */
import * as AST from "effect/SchemaAST"

/** What a schema allows at one place of a JSON text: alternatives without unions, refinements and transformations. */
export type Place = ReadonlySet<AST.AST>

const places = new WeakMap<AST.AST, Place>()

/** What a schema is decoded from. */
export const placeOf = (ast: AST.AST): Place => {
  const known = places.get(ast)
  if (known !== undefined) return known
  const place = new Set(alternativesOf(ast))
  places.set(ast, place)
  return place
}

const alternativesOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "Union":
      return ast.types.flatMap(alternativesOf)
    case "Refinement":
    case "Transformation":
      return alternativesOf(ast.from)
    case "Suspend":
      return alternativesOf(ast.f())
    default:
      return [ast]
  }
}

/** What a place has in a field. */
export const fieldOf = (place: Place, name: string): Place =>
  inside(place, AST.isTypeLiteral, ({ indexSignatures, propertySignatures }) => {
    const declared = propertySignatures.find((signature) => signature.name === name)
    return declared === undefined ? indexSignatures.map(({ type }) => type) : [declared.type]
  })

/** What a place has as items of an array. */
export const itemOf = (place: Place, nth: number): Place =>
  inside(place, AST.isTupleType, ({ elements, rest }) => {
    const element = elements[nth]
    return (element === undefined ? rest : [element]).map(({ type }) => type)
  })

const inside = <Node extends AST.AST>(
  place: Place,
  is: (ast: AST.AST) => ast is Node,
  typesOf: (node: Node) => ReadonlyArray<AST.AST>
): Place => {
  if (place.size === 0) return place
  const [type, ...others] = [...place].filter(is).flatMap(typesOf)
  if (type === undefined) return nothing
  return others.length === 0
    ? placeOf(type)
    : new Set([type, ...others].flatMap((one) => [...placeOf(one)]))
}

const nothing: Place = new Set()

/** Whether a place takes a `bigint`. */
export const hasBigInt = (place: Place): boolean => [...place].some(AST.isBigIntKeyword)

/** Whether a place takes a `number`. */
export const hasNumber = (place: Place): boolean => [...place].some(AST.isNumberKeyword)

/** All places of what a schema is decoded from. */
export const placesOf = (ast: AST.AST): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  const known = new Set<AST.AST>()
  const visit = (ast: AST.AST): void => {
    const place = placeOf(ast)
    places.push(place)
    for (const one of place) {
      if (known.has(one)) continue
      known.add(one)
      if (AST.isTypeLiteral(one))
        for (const { type } of [...one.propertySignatures, ...one.indexSignatures]) visit(type)
      if (AST.isTupleType(one)) for (const { type } of [...one.elements, ...one.rest]) visit(type)
    }
  }
  visit(ast)
  return places
}
